// Made by go generate ./internal/channel: the kinds of channels that there are.

/** @typedef {{name: string, en: string, zh: string, required?: boolean, list?: boolean}} Field */
/** @type {{kind: string, en: string, zh: string, fields: Field[]}[]} */
export const kinds = [
  {"kind":"webhook","en":"Webhook","zh":"Webhook","fields":[{"name":"url","en":"URL","zh":"URL"},{"name":"url_env","en":"Or: variable that holds the URL","zh":"或：保存 URL 的环境变量"},{"name":"secret_env","en":"Variable that holds the signing secret","zh":"保存签名密钥的环境变量"}]},
  {"kind":"slack","en":"Slack","zh":"Slack","fields":[{"name":"url_env","en":"Variable that holds the URL","zh":"保存 URL 的环境变量","required":true},{"name":"mentions","en":"Who is mentioned, separated by commas","zh":"提及谁，以逗号分隔","list":true}]},
  {"kind":"email","en":"E-mail","zh":"电子邮件","fields":[{"name":"address","en":"Server, such as smtp.example.com:587","zh":"服务器，例如 smtp.example.com:587","required":true},{"name":"tls","en":"Encryption","zh":"加密"},{"name":"username","en":"User","zh":"用户名"},{"name":"password_env","en":"Variable that holds the password","zh":"保存密码的环境变量"},{"name":"from","en":"From","zh":"发件人","required":true},{"name":"to","en":"To, separated by commas","zh":"收件人，以逗号分隔","required":true,"list":true}]},
  {"kind":"dingtalk","en":"DingTalk","zh":"钉钉","fields":[{"name":"url_env","en":"Variable that holds the URL","zh":"保存 URL 的环境变量","required":true},{"name":"secret_env","en":"Variable that holds the signing secret","zh":"保存签名密钥的环境变量"},{"name":"mentions","en":"Who is mentioned, separated by commas","zh":"提及谁，以逗号分隔","list":true}]},
  {"kind":"feishu","en":"Feishu / Lark","zh":"飞书 / Lark","fields":[{"name":"url_env","en":"Variable that holds the URL","zh":"保存 URL 的环境变量","required":true},{"name":"secret_env","en":"Variable that holds the signing secret","zh":"保存签名密钥的环境变量"},{"name":"mentions","en":"Who is mentioned, separated by commas","zh":"提及谁，以逗号分隔","list":true}]},
  {"kind":"wecom","en":"WeCom","zh":"企业微信","fields":[{"name":"url_env","en":"Variable that holds the URL","zh":"保存 URL 的环境变量","required":true},{"name":"mentions","en":"Who is mentioned, separated by commas","zh":"提及谁，以逗号分隔","list":true}]},
  {"kind":"log","en":"Log of the node","zh":"节点日志","fields":[]},
];
