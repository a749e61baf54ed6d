/** What http-request says of itself, in English: text by text. */
export const english = {
  '发出 HTTP 请求：方法、请求头、参数、JSON 或表单，按规定跟随重定向，时间和大小有上限。':
    'Makes an HTTP request: method, headers, query, JSON or form; follows redirects by the rules, with limits of time and size.',
  网络: 'network',
  接口: 'API',
  内置: 'built-in',
  '调用公网上的 REST 接口': 'Call a public REST API',
  '查看一个网址回答的状态、请求头和内容': 'See status, headers and content of what an address answers',
  '提交 JSON 或表单': 'Send JSON or a form',
  查看重定向去了哪里: 'See where redirects lead',
  '只能连接公网：本机、内网和云的元数据地址总是拒绝，重定向到那里也一样':
    'Public addresses only: this machine, its network and cloud metadata are always refused, as are redirects to them',
  '回答默认最多 200 KB，最多 10 MB，多出来的不读': 'An answer is read up to 200 KB unless told otherwise, 10 MB at most; what is beyond is not read',
  '不保存 Cookie，不自动重试；重定向换了来源时，请求头只带 Accept、Content-*、User-Agent 和 Range':
    'Keeps no cookies and does not repeat; of the headers only Accept, Content-*, User-Agent and Range go on to another origin',

  '网址，http 或 https': 'Address, http or https',
  请求方法: 'Method',
  '请求头，例如 {"Accept": "application/json"}': 'Headers, such as {"Accept": "application/json"}',
  '加在网址后面的参数；一个名称有几个值时用列表': 'Query parameters added to the address; a list where one name has several values',
  '请求体，原文': 'Body as it stands',
  '请求体，作为 JSON 发出': 'Body, sent as JSON',
  '请求体，作为表单发出': 'Body, sent as a form',
  '最多等多少毫秒，包括重定向和读取内容': 'Milliseconds to wait at most, redirects and reading included',
  '回答最多读多少字节': 'Bytes of the answer to read at most',
  '最多跟随几次重定向，0 为不跟随': 'Redirects to follow at most, 0 for none',

  网址无效: 'The address is not valid',
  '写成 https://example.com/path，参数放在 query 里，用户名和密码放在 headers 的 Authorization 里。':
    'Write it as https://example.com/path, with parameters in query, and user name and password in Authorization of headers.',
  参数缺少或无效: 'A parameter is missing or not valid',
  '按参数说明补上或修正。': 'Add or correct it as the parameters say.',
  不允许连接这个地址: 'Connecting to this address is not allowed',
  '只能连接公网上的地址；本机和内网的服务要用为它授权的工具。': 'Only public addresses are reached; services of this machine or network need a tool that is granted them.',
  重定向太多: 'There are too many redirects',
  '用 max_redirects: 0 看它指向哪里；可能成环，或需要登录。': 'See where it leads with max_redirects: 0; it may go in circles, or want a login.',
  连接失败: 'The connection failed',
  '检查主机名和端口，稍后重试。': 'Check host name and port, and try again later.',
  超过时间限制: 'It took too long',
  '调大 timeout_ms，或稍后重试。': 'Raise timeout_ms, or try again later.',
};
