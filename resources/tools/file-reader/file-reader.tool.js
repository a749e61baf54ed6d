/**
 * file-reader：把各种文件和网址变成模型读得懂的文字、表格或图片。
 *
 * 只读不写。一次给出的内容按词元数截短，并说从哪里继续。
 * 这里有意不做的事：PDF、执行宏、展开外部实体、7z 和 rar。
 */
import { english } from './english.js';
import { Fault } from './fault.js';
import { FORMATS, contentOf } from './formats.js';
import { sourceOf } from './source.js';

const ACTIONS = ['read', 'info'];
const MAX_ENTRIES = 50;
/** info 只说有什么，不给内容。 */
const CONTENT = ['content', 'rows', 'offset', 'nextOffset', 'lineCut', 'tokens', 'truncated', 'base64'];

function about(source) {
  const { path, entry, size, modified, mimeType } = source;
  return { path, ...(entry === undefined ? {} : { entry }), size, ...(modified ? { modified } : {}), ...(mimeType ? { mimeType } : {}) };
}

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'file-reader',
      description: '读取各种文件和网址：任意编码的文本、JSON、YAML、CSV、XML、Markdown、Word、Excel、图片和压缩包。内容太长时分段给出。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['文件', '文档', '表格', '内置'],
      scenarios: [
        '读取 GBK、Big5、Shift_JIS、UTF-16 等编码的文本，编码自动识别',
        '把 Word 文档变成 Markdown，把 Excel 工作表变成行',
        '查看很大的 CSV 或日志的一部分',
        '从 JSON、YAML 里取出一个值',
        '列出压缩包的内容，读其中一个文件',
        '读取网址上的文件，或查看一张图片',
      ],
      limitations: [
        '只能读取 ALLOWED_DIRECTORIES 中的文件和公网上的网址',
        '文件默认不超过 32 MB（MAX_FILE_SIZE）；更大的文本和 CSV 用 start_byte 分段读',
        '压缩包里的一个文件解开后不超过 32 MB',
        '不读 PDF、旧的 doc 和 xls、加密的文件、7z 和 rar',
        '词元数是估计，没有模型自己的分词表',
      ],
    };
  },

  getTranslations() {
    return { en: english };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', minLength: 1, maxLength: 4096, description: '文件的路径，或 http(s) 网址', example: 'report.docx' },
          action: { type: 'string', enum: ACTIONS, default: 'read', description: 'read 读内容；info 只看格式、大小、编码、工作表等' },
          format: { type: 'string', enum: FORMATS, description: '按这种格式读；不填则自动识别' },
          encoding: { type: 'string', maxLength: 40, description: '文本的编码，例如 gbk；不填则自动识别' },
          offset: { type: 'integer', minimum: 0, default: 0, description: '跳过多少行（CSV 和 Excel 是记录，压缩包是条目）' },
          limit: { type: 'integer', minimum: 1, maximum: 100000, description: '最多多少行、记录或条目' },
          max_tokens: { type: 'integer', minimum: 50, maximum: 100000, default: 8000, description: '最多多少词元，到了就截短，并给出 nextOffset；一行太长时给出 lineCut，没有 nextByte 就调大它再读' },
          start_byte: { type: 'integer', minimum: 0, description: '很大的文本或 CSV 从第几个字节读起；上次给出 nextByte 时用它继续，不带 offset' },
          sheet: { type: 'string', maxLength: 100, description: 'Excel 工作表的名称或序号；不填则为第一个' },
          entry: { type: 'string', maxLength: 4096, description: '压缩包里的一个文件' },
          pointer: { type: 'string', maxLength: 1000, description: 'JSON、YAML 里的位置，例如 /items/0/name' },
          delimiter: { type: 'string', minLength: 1, maxLength: 1, description: 'CSV 的分隔符；不填则自动识别' },
          max_side: { type: 'integer', minimum: 16, maximum: 8192, default: 1568, description: '图片的长边超过这么多像素时缩小' },
        },
        required: ['path'],
      },
      environment: {
        type: 'object',
        properties: {
          ALLOWED_DIRECTORIES: {
            type: 'string',
            description: '允许读取的目录：JSON 数组、逗号分隔，或单个路径',
            example: '["~/.prompt-manager/shared", "~/Documents"]',
          },
          MAX_FILE_SIZE: { type: 'number', description: '整个读取的文件的最大字节数', default: 33554432, minimum: 1024, maximum: 104857600 },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (...codes) => (error) => codes.includes(error?.code);
    return [
      { code: 'PATH_NOT_ALLOWED', description: '路径不在允许的目录内', match: /路径越权/, solution: '改用允许的目录内的路径；需要更多目录时，用 configure 模式设置 ALLOWED_DIRECTORIES 并由用户批准。', retryable: false },
      { code: 'FILE_NOT_FOUND', description: '文件不存在', match: withCode('FILE_NOT_FOUND'), solution: '用 filesystem 的 list 或 search 找到正确的路径。', retryable: false },
      { code: 'IS_A_DIRECTORY', description: '是目录，不是文件', match: withCode('IS_A_DIRECTORY'), solution: '给出其中一个文件；看目录用 filesystem 的 list。', retryable: false },
      { code: 'PERMISSION_DENIED', description: '没有访问权限', match: withCode('PERMISSION_DENIED'), solution: '换一个文件，或请用户调整权限。', retryable: false },
      { code: 'FILE_TOO_LARGE', description: '文件超过大小限制', match: withCode('FILE_TOO_LARGE'), solution: '文本和 CSV 用 start_byte 分段读；或用 configure 模式调大 MAX_FILE_SIZE。', retryable: false },
      { code: 'PICTURE_TOO_LARGE', description: '图片的像素太多', match: withCode('PICTURE_TOO_LARGE'), solution: '请用户先把图片缩小。', retryable: false },
      { code: 'ANSWER_TOO_LARGE', description: '网址上的文件超过大小限制', match: withCode('ANSWER_TOO_LARGE'), solution: '网址不能分段读：用 configure 模式调大 MAX_FILE_SIZE，或下载到允许的目录里再读。', retryable: false },
      { code: 'TOO_MUCH', description: '解开后太大', match: withCode('TOO_MUCH'), solution: '这可能是压缩炸弹；确认来源可靠后，在外部解开再读。', retryable: false },
      { code: 'UNSUPPORTED_FORMAT', description: '格式不支持', match: withCode('UNSUPPORTED_FORMAT'), solution: 'PDF 用 pdf-reader；其他的先转换成支持的格式，识别错了就用 format 指定。', retryable: false },
      { code: 'DAMAGED_FILE', description: '文件已损坏', match: withCode('DAMAGED_FILE'), solution: '重新取得这个文件。', retryable: false },
      { code: 'ENCRYPTED', description: '文件有密码', match: withCode('ENCRYPTED'), solution: '请用户去掉密码后再读。', retryable: false },
      { code: 'INVALID_CONTENT', description: '内容的写法有错', match: withCode('INVALID_CONTENT'), solution: '去掉 pointer 按文本读，看看出错的地方。', retryable: false },
      { code: 'NOT_FOUND', description: '文件里没有这一部分', match: withCode('NOT_FOUND'), solution: '用 action: info 看有哪些工作表、条目或键。', retryable: false },
      { code: 'INVALID_URL', description: '网址无效', match: withCode('INVALID_URL'), solution: '写成 https://example.com/file.csv。', retryable: false },
      { code: 'ADDRESS_REFUSED', description: '不允许连接这个地址', match: withCode('ADDRESS_REFUSED'), solution: '只能读取公网上的网址；本机和内网的文件请放到允许的目录。', retryable: false },
      { code: 'HTTP_STATUS', description: '服务器没有给出文件', match: withCode('HTTP_STATUS'), solution: '检查网址；5xx 可以稍后重试。', retryable: true },
      { code: 'CONNECTION_FAILED', description: '连接失败', match: withCode('CONNECTION_FAILED', 'TOO_MANY_REDIRECTS'), solution: '检查网址和网络后重试。', retryable: true },
      { code: 'TIMEOUT', description: '超过时间限制', match: withCode('TIMEOUT'), solution: '稍后重试。', retryable: true },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return {
      sandboxType: 'nodejs',
      maxMemory: 768,
      maxExecutionTime: 60,
      allowedDirectories: ['~/.prompt-manager/shared', '~/.prompt-manager/toolbox/{toolname}/data'],
      networkAccess: true,
    };
  },

  async execute(params) {
    if (typeof params?.path !== 'string' || params.path === '') throw new Fault('INVALID_PARAMETER', '缺少参数: path');
    const source = await sourceOf(this, params);
    const found = await contentOf(source, params);
    this.api.logger.debug('已读取', { format: found.format, size: source.size });
    if (params.action === 'info') {
      for (const name of CONTENT) delete found[name];
      // 压缩包里有什么就是它的结构：说前几个名称，其余的用 read 列出。
      if (found.entries !== undefined) found.entries = found.entries.slice(0, MAX_ENTRIES);
    }
    return { ...about(source), ...found };
  },
};
