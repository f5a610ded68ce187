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
  {"kind":"teams","en":"Microsoft Teams","zh":"Microsoft Teams","fields":[{"name":"url_env","en":"Variable that holds the URL","zh":"保存 URL 的环境变量","required":true}]},
  {"kind":"telegram","en":"Telegram","zh":"Telegram","fields":[{"name":"secret_env","en":"Variable that holds the token of the bot","zh":"保存机器人 token 的环境变量","required":true},{"name":"to","en":"Chat: its number, or @name of a channel","zh":"聊天：编号，或频道的 @名称","required":true,"list":true},{"name":"url","en":"URL, if the Bot API is your own","zh":"URL（使用自建的 Bot API 时）"}]},
  {"kind":"pagerduty","en":"PagerDuty","zh":"PagerDuty","fields":[{"name":"secret_env","en":"Variable that holds the integration key","zh":"保存集成密钥的环境变量","required":true},{"name":"url","en":"URL, if it is not the usual one","zh":"URL（不是常用地址时）"}]},
  {"kind":"alertmanager","en":"Alertmanager","zh":"Alertmanager","fields":[{"name":"url","en":"URL of the Alertmanager","zh":"Alertmanager 的 URL","required":true},{"name":"secret_env","en":"Variable that holds a bearer token","zh":"保存 bearer token 的环境变量"}]},
  {"kind":"log","en":"Log of the node","zh":"节点日志","fields":[]},
];
