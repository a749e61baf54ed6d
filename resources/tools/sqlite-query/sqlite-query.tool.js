/**
 * sqlite-query：查询 SQLite 数据库文件。默认只读；write: true 才写回文件。
 *
 * 这里有意不做的事：连接数据库服务器、加密的数据库、别的程序正打开着写的数据库。
 */
import { Buffer } from 'node:buffer';
import { english } from './english.js';
import { Fault } from './fault.js';
import { MAX_DATABASE, open, save } from './database.js';

const MAX_TEXT = 200000;
const MAX_CELL = 20000;

/** 大的二进制不给内容，太长的文字截短。 */
function shown(value) {
  if (value instanceof Uint8Array) return { bytes: value.length, hex: Buffer.from(value.subarray(0, 64)).toString('hex') };
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  return typeof value === 'string' && value.length > MAX_CELL ? `${value.slice(0, MAX_CELL).replace(/[\ud800-\udbff]$/, '')}…` : value;
}

function failed(error) {
  if (error instanceof Fault) return error;
  const message = String(error?.message ?? error);
  if (/readonly|read-only|query_only/i.test(message)) return new Fault('READ_ONLY', `只读时不能写: ${message}`);
  if (/not a database|malformed|encrypted/i.test(message)) return new Fault('NOT_A_DATABASE', `数据库已损坏或已加密: ${message}`);
  return new Fault('SQL_ERROR', `SQL 有错: ${message}`);
}

/** 一条语句的行，到上限为止。 */
function rowsOf(statement, limit) {
  const rows = [];
  let size = 0;
  let truncated = false;
  while (statement.step()) {
    if (rows.length >= limit || size > MAX_TEXT) {
      truncated = true;
      break;
    }
    const row = statement.get(null, { useBigInt: true }).map(shown);
    size += JSON.stringify(row).length;
    rows.push(row);
  }
  return { columns: statement.getColumnNames(), rows, truncated };
}

/** 名称前的冒号可以不写。 */
function valuesOf({ values, named }) {
  if (values !== undefined && named !== undefined) throw new Fault('INVALID_PARAMETER', 'values 和 named 只能给一个');
  if (named === undefined) return values;
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [/^[:@$]/.test(name) ? name : `:${name}`, value]));
}

/** 依次执行各条语句；给出最后一条有结果的。参数只能给一条语句。 */
function run(database, params) {
  let last = { columns: [], rows: [], truncated: false };
  let statements = 0;
  const values = valuesOf(params);
  for (const statement of database.iterateStatements(params.sql)) {
    statements += 1;
    if (values !== undefined && statements > 1) throw new Fault('INVALID_PARAMETER', '有 values 或 named 时只能执行一条语句');
    if (values !== undefined) statement.bind(values);
    const found = rowsOf(statement, params.limit ?? 200);
    if (found.columns.length > 0) last = found;
  }
  if (statements === 0) throw new Fault('INVALID_PARAMETER', 'sql 里没有语句');
  return { ...last, statements };
}

/** 内容变了没有，看这几个数：改了几行、结构的版本，和 SQL 能另外写在文件头里的两个。 */
function marksOf(database) {
  const one = (sql) => Number(database.exec(sql)[0].values[0][0]);
  const [changes, ...others] = ['SELECT total_changes()', 'PRAGMA schema_version', 'PRAGMA user_version', 'PRAGMA application_id'].map(one);
  return { changes, others: others.join() };
}

async function query(tool, params) {
  if (typeof params.sql !== 'string') throw new Fault('INVALID_PARAMETER', '缺少参数: sql（要执行的语句）');
  const write = params.write === true;
  const target = await tool.resolvePromptManagerPath(params.path);
  const { database, before: file } = await open(target, { shown: params.path, create: write });
  try {
    if (!write) database.run('PRAGMA query_only = ON');
    const before = marksOf(database);
    const result = run(database, params);
    if (!write) return result;
    const after = marksOf(database);
    const changes = after.changes - before.changes;
    // 什么也没有变就不重写文件；新建的总要写。
    if (file === null || changes > 0 || after.others !== before.others) {
      await save(target, database, file);
      tool.api.logger.info('已写入数据库', { path: target, changes });
    }
    return { ...result, changes };
  } finally {
    database.close();
  }
}

async function schema(tool, params) {
  const target = await tool.resolvePromptManagerPath(params.path);
  const { database } = await open(target, { shown: params.path, create: false });
  try {
    const list = (sql, values = []) => {
      const statement = database.prepare(sql, values);
      try {
        return rowsOf(statement, 1000).rows;
      } finally {
        statement.free();
      }
    };
    const objects = list("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name");
    const detailsOf = (type, name) => ({
      columns: list('SELECT name, type, "notnull", pk FROM pragma_table_info(?)', [name]).map(([column, kind, required, key]) => ({ name: column, type: kind, required: required === 1, key: key > 0 })),
      // 视图可能引用已经没有的表，数不出行数。
      ...(type === 'table' && params.count !== false ? { rows: list(`SELECT count(*) FROM "${String(name).replaceAll('"', '""')}"`)[0]?.[0] } : {}),
    });
    // 一个看不了（引用了没有的表、用了没有的模块），别的照样看。
    const tables = objects.map(([type, name, , sql]) => {
      try {
        return { type, name, ...detailsOf(type, name), sql };
      } catch (error) {
        return { type, name, problem: failed(error).message, sql };
      }
    });
    return { tables };
  } finally {
    database.close();
  }
}

const ACTIONS = { query, schema };

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return { 'sql.js': '^1.13.0' };
  },

  getMetadata() {
    return {
      name: 'sqlite-query',
      description: '查询 SQLite 数据库文件：看有哪些表和列，执行 SQL，参数安全地填入。默认只读。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['数据库', 'SQL', '查询', '内置'],
      scenarios: ['看一个数据库文件里有什么', '用 SQL 查询、汇总和连接', '确认之后写入（write: true）'],
      limitations: [
        `数据库不超过 ${MAX_DATABASE / 1024 / 1024} MB，整个读进内存`,
        '别的程序正在写的数据库（有 -wal 或 -journal）不打开',
        '结果默认最多 200 行，总共约 200 KB',
        '引擎 sql.js 在第一次使用时从 npm 安装',
      ],
    };
  },

  getTranslations() {
    return { en: english(MAX_DATABASE / 1024 / 1024) };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: Object.keys(ACTIONS), default: 'query', description: 'query 执行 SQL；schema 看有哪些表和列' },
          path: { type: 'string', minLength: 1, maxLength: 4096, description: '数据库文件的路径', example: 'data.db' },
          sql: { type: 'string', maxLength: 100000, description: '要执行的 SQL；几条用分号分开，给出最后一条的结果', example: 'SELECT count(*) FROM items' },
          values: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] }, description: '按位置填入 SQL 里的 ?' },
          named: { type: 'object', description: '按名称填入 SQL 里的 :name' },
          limit: { type: 'integer', minimum: 1, maximum: 5000, description: '最多多少行，默认 200' },
          write: { type: 'boolean', default: false, description: '是否把改动写回文件；没有文件时建立' },
          count: { type: 'boolean', default: true, description: 'schema 是否数各表的行数' },
        },
        required: ['path'],
      },
      environment: {
        type: 'object',
        properties: {
          ALLOWED_DIRECTORIES: { type: 'string', description: '数据库所在的目录：JSON 数组、逗号分隔，或单个路径', example: '["~/.prompt-manager/shared"]' },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (code) => (error) => error?.code === code;
    return [
      { code: 'PATH_NOT_ALLOWED', description: '路径不在允许的目录内', match: /路径越权/, solution: '改用允许的目录内的路径；需要更多目录时，用 configure 模式设置 ALLOWED_DIRECTORIES 并由用户批准。', retryable: false },
      { code: 'FILE_NOT_FOUND', description: '数据库文件不存在', match: withCode('FILE_NOT_FOUND'), solution: '检查路径；要新建时加 write: true。', retryable: false },
      { code: 'NOT_A_DATABASE', description: '不是 SQLite 数据库，或已损坏', match: withCode('NOT_A_DATABASE'), solution: '确认文件；加密的数据库打不开。', retryable: false },
      { code: 'TOO_LARGE', description: '数据库太大', match: withCode('TOO_LARGE'), solution: '在外部取出需要的部分，另存成小的数据库。', retryable: false },
      { code: 'IN_USE', description: '别的程序正在使用数据库', match: withCode('IN_USE'), solution: '关闭那个程序，或复制一份再查。', retryable: true },
      { code: 'READ_ONLY', description: '只读时不能写', match: withCode('READ_ONLY'), solution: '确认要改动时加 write: true。', retryable: false },
      { code: 'SQL_ERROR', description: 'SQL 有错', match: withCode('SQL_ERROR'), solution: '用 action: schema 看表和列的名称，改正后重试。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return {
      sandboxType: 'nodejs',
      maxMemory: 768,
      maxExecutionTime: 60,
      allowedDirectories: ['~/.prompt-manager/shared', '~/.prompt-manager/toolbox/{toolname}/data'],
      networkAccess: false,
    };
  },

  async execute(params) {
    const name = params?.action ?? 'query';
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
    if (action === undefined) throw new Fault('INVALID_PARAMETER', `不支持的操作: ${name}，可选: ${Object.keys(ACTIONS).join(', ')}`);
    if (typeof params.path !== 'string') throw new Fault('INVALID_PARAMETER', '缺少参数: path');
    try {
      return await action(this, params);
    } catch (error) {
      if (error?.code === 'path_not_allowed') throw error;
      throw failed(error);
    }
  },
};
