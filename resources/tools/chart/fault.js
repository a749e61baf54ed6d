/** 有代码的错误：业务错误按代码匹配，不按文字。 */
export class Fault extends Error {
  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = 'Fault';
    this.code = code;
  }
}
