// Made by go generate ./alert/channel: the kinds of channels that there are.

/** @type {{kind: string, en: string, zh: string, fields: string[], required: string[]}[]} */
export const kinds = [
  {"kind":"webhook","en":"Webhook","zh":"Webhook","fields":["url","url_env","secret_env"],"required":[]},
  {"kind":"slack","en":"Slack","zh":"Slack","fields":["url_env","mentions"],"required":["url_env"]},
  {"kind":"email","en":"E-mail","zh":"电子邮件","fields":["address","tls","username","password_env","from","to"],"required":["address","from","to"]},
  {"kind":"dingtalk","en":"DingTalk","zh":"钉钉","fields":["url_env","secret_env","mentions"],"required":["url_env"]},
  {"kind":"feishu","en":"Feishu / Lark","zh":"飞书 / Lark","fields":["url_env","secret_env","mentions"],"required":["url_env"]},
  {"kind":"wecom","en":"WeCom","zh":"企业微信","fields":["url_env","mentions"],"required":["url_env"]},
  {"kind":"log","en":"Log of the node","zh":"节点日志","fields":[],"required":[]},
];
