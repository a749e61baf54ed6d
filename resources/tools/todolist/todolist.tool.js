/**
 * todolist：待办清单。数据在 api.storage 里，离线可用，编号不变。
 *
 * 这里有意不做的事：提醒、同步、多人共享。
 */
import { english } from './english.js';

const KEY = 'todolist';
const FORMAT = 1;
const MAX_LISTS = 50;
const MAX_ITEMS = 1000;
const MAX_TITLE = 500;
const MAX_NOTE = 5000;
const MAX_TAGS = 10;
const PRIORITIES = ['low', 'normal', 'high', 'urgent'];
const FILTERS = ['all', 'open', 'done', 'overdue', 'today', 'week', 'no_due'];
const SORTS = ['manual', 'due', 'priority', 'created'];

class TodoError extends Error {
  constructor(code, message) {
    super(message);
    this.name = 'TodoError';
    this.code = code;
  }
}

// ---------------------------------------------------------------- 数据

/** 数据坏了就停下，不悄悄从空的开始：那会盖掉用户的内容。 */
async function load(tool) {
  let data = await tool.api.storage.getItem(KEY);
  if (data === undefined || data === null) return { format: FORMAT, next: 1, lists: [], items: [] };
  if (typeof data === 'string') {
    try {
      data = JSON.parse(data);
    } catch {
      data = null;
    }
  }
  const sound = Number.isInteger(data?.next) && Array.isArray(data.lists) && Array.isArray(data.items);
  if (!sound || data.format !== FORMAT) {
    throw new TodoError('DATA_DAMAGED', '待办数据已损坏或来自更新的版本，没有改动它');
  }
  return data;
}

async function save(tool, data) {
  await tool.api.storage.setItem(KEY, data);
}

function now() {
  return new Date().toISOString();
}

function text(value, name, maximum, { empty = false } = {}) {
  if (typeof value !== 'string') throw new TodoError('INVALID_PARAMETER', `缺少参数: ${name}`);
  const trimmed = value.trim();
  if (trimmed === '' && !empty) throw new TodoError('INVALID_PARAMETER', `参数 ${name} 不能为空`);
  if ([...trimmed].length > maximum) throw new TodoError('INVALID_PARAMETER', `参数 ${name} 最多 ${maximum} 个字符`);
  return trimmed;
}

/** 日期 2025-12-31 表示当天结束前；带时间的写法按原样。 */
function due(value) {
  if (value === null || value === '') return null;
  if (typeof value !== 'string') throw new TodoError('INVALID_DUE', `日期无效: ${JSON.stringify(value)}`);
  const trimmed = value.trim();
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(trimmed);
  if (day !== null) {
    const [, year, month, date] = day.map(Number);
    const found = new Date(year, month - 1, date);
    if (found.getFullYear() === year && found.getMonth() === month - 1 && found.getDate() === date) return trimmed;
  } else if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(trimmed)) {
    const found = new Date(trimmed.replace(' ', 'T'));
    if (!Number.isNaN(found.getTime())) return found.toISOString();
  }
  throw new TodoError('INVALID_DUE', `日期无效: ${value}，请写成 2025-12-31 或 2025-12-31T18:00`);
}

/** 到期的时刻（毫秒），没有则为无穷大。 */
function dueTime(item) {
  if (item.due === null) return Infinity;
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(item.due);
  if (day === null) return Date.parse(item.due);
  return new Date(Number(day[1]), Number(day[2]) - 1, Number(day[3]), 23, 59, 59, 999).getTime();
}

function priority(value) {
  if (!PRIORITIES.includes(value)) {
    throw new TodoError('INVALID_PARAMETER', `优先级无效: ${value}，可选: ${PRIORITIES.join(', ')}`);
  }
  return value;
}

function tags(value) {
  if (!Array.isArray(value) || value.length > MAX_TAGS) {
    throw new TodoError('INVALID_PARAMETER', `标签应为列表，最多 ${MAX_TAGS} 个`);
  }
  return [...new Set(value.map((tag) => text(tag, 'tags', 50)))];
}

function findList(data, wanted) {
  const list = data.lists.find((one) => one.id === wanted) ?? data.lists.find((one) => one.name === wanted);
  if (list === undefined) throw new TodoError('LIST_NOT_FOUND', `没有清单: ${wanted}`);
  return list;
}

/** 不指定清单时用第一个；一个也没有就建立默认清单。 */
function listFor(data, wanted) {
  if (wanted !== undefined && wanted !== null && wanted !== '') return findList(data, wanted);
  if (data.lists.length === 0) data.lists.push({ id: newId(data, 'L'), name: '默认', createdAt: now() });
  return data.lists[0];
}

function findItem(data, id) {
  if (typeof id !== 'string' || id === '') throw new TodoError('INVALID_PARAMETER', '缺少参数: id');
  const item = data.items.find((one) => one.id === id);
  if (item === undefined) throw new TodoError('ITEM_NOT_FOUND', `没有待办: ${id}`);
  return item;
}

/** 短、不变，删除之后也不再使用。 */
function newId(data, letter) {
  const id = `${letter}${data.next}`;
  data.next += 1;
  return id;
}

function itemsOf(data, list) {
  return data.items.filter((item) => item.list === list.id);
}

function shown(data, item) {
  const list = data.lists.find((one) => one.id === item.list);
  const overdue = !item.done && dueTime(item) < Date.now();
  return { ...item, listName: list?.name ?? '', overdue };
}

function counted(data, list) {
  const items = itemsOf(data, list);
  return { ...list, total: items.length, open: items.filter((item) => !item.done).length };
}

// ---------------------------------------------------------------- 清单

function uniqueName(data, name, except) {
  const wanted = text(name, 'name', 100);
  if (data.lists.some((list) => list.name === wanted && list !== except)) {
    throw new TodoError('LIST_EXISTS', `已有同名清单: ${wanted}`);
  }
  return wanted;
}

function createList(data, params) {
  if (data.lists.length >= MAX_LISTS) throw new TodoError('LIMIT_REACHED', `清单已有 ${MAX_LISTS} 个，不能再多`);
  const list = { id: newId(data, 'L'), name: uniqueName(data, params.name), createdAt: now() };
  data.lists.push(list);
  return { list: counted(data, list) };
}

function renameList(data, params) {
  const list = findList(data, text(params.list, 'list', 100));
  list.name = uniqueName(data, params.name, list);
  return { list: counted(data, list) };
}

function deleteList(data, params) {
  const list = findList(data, text(params.list, 'list', 100));
  const items = itemsOf(data, list);
  if (items.length > 0 && params.force !== true) {
    throw new TodoError('LIST_NOT_EMPTY', `清单“${list.name}”还有 ${items.length} 项，确认删除请加 force: true`);
  }
  data.lists = data.lists.filter((one) => one !== list);
  data.items = data.items.filter((item) => item.list !== list.id);
  return { deleted: list.id, items: items.length };
}

function lists(data) {
  return { lists: data.lists.map((list) => counted(data, list)) };
}

// ---------------------------------------------------------------- 待办

function add(data, params) {
  if (data.items.length >= MAX_ITEMS) {
    throw new TodoError('LIMIT_REACHED', `待办已有 ${MAX_ITEMS} 项，请先用 clear_done 清理`);
  }
  const title = text(params.title, 'title', MAX_TITLE);
  const item = {
    id: newId(data, 'T'),
    list: listFor(data, params.list).id,
    title,
    note: params.note === undefined ? '' : text(params.note, 'note', MAX_NOTE, { empty: true }),
    due: params.due === undefined ? null : due(params.due),
    priority: params.priority === undefined ? 'normal' : priority(params.priority),
    tags: params.tags === undefined ? [] : tags(params.tags),
    done: false,
    createdAt: now(),
    doneAt: null,
  };
  data.items.push(item);
  return { item: shown(data, item) };
}

function edit(data, params) {
  const item = findItem(data, params.id);
  const change = {};
  if (params.title !== undefined) change.title = text(params.title, 'title', MAX_TITLE);
  if (params.note !== undefined) change.note = text(params.note, 'note', MAX_NOTE, { empty: true });
  if (params.due !== undefined) change.due = due(params.due);
  if (params.priority !== undefined) change.priority = priority(params.priority);
  if (params.tags !== undefined) change.tags = tags(params.tags);
  if (params.list !== undefined) change.list = findList(data, params.list).id;
  if (Object.keys(change).length === 0) {
    throw new TodoError('INVALID_PARAMETER', '没有要修改的内容: 请给出 title、note、due、priority、tags 或 list');
  }
  Object.assign(item, change);
  return { item: shown(data, item) };
}

function mark(done) {
  return (data, params) => {
    const item = findItem(data, params.id);
    const changed = item.done !== done;
    if (changed) {
      item.done = done;
      item.doneAt = done ? now() : null;
    }
    return { item: shown(data, item), changed };
  };
}

function deleteItem(data, params) {
  const item = findItem(data, params.id);
  data.items = data.items.filter((one) => one !== item);
  return { deleted: item.id, title: item.title };
}

/** 移到同一清单的第 position 位（从 1 开始），其余顺序不变。 */
function reorder(data, params) {
  const item = findItem(data, params.id);
  if (!Number.isInteger(params.position) || params.position < 1) {
    throw new TodoError('INVALID_PARAMETER', '参数 position 应为从 1 开始的整数');
  }
  const others = data.items.filter((one) => one.list === item.list && one !== item);
  others.splice(Math.min(params.position - 1, others.length), 0, item);
  let next = 0;
  data.items = data.items.map((one) => (one.list === item.list ? others[next++] : one));
  return { items: others.map((one) => ({ id: one.id, title: one.title })) };
}

function clearDone(data, params) {
  const list = params.list === undefined ? null : findList(data, params.list);
  const before = data.items.length;
  data.items = data.items.filter((item) => !item.done || (list !== null && item.list !== list.id));
  return { removed: before - data.items.length };
}

function show(data, params) {
  return { item: shown(data, findItem(data, params.id)) };
}

// ---------------------------------------------------------------- 查询

function dayEnd(days) {
  const today = new Date();
  return new Date(today.getFullYear(), today.getMonth(), today.getDate() + days, 23, 59, 59, 999).getTime();
}

const MATCHES = {
  all: () => true,
  open: (item) => !item.done,
  done: (item) => item.done,
  overdue: (item) => !item.done && dueTime(item) < Date.now(),
  today: (item) => !item.done && dueTime(item) <= dayEnd(0) && dueTime(item) > dayEnd(-1),
  week: (item) => !item.done && dueTime(item) <= dayEnd(7) && dueTime(item) > dayEnd(-1),
  no_due: (item) => !item.done && item.due === null,
};

const ORDERS = {
  due: (a, b) => {
    const [left, right] = [dueTime(a), dueTime(b)];
    return left === right ? 0 : left - right;
  },
  priority: (a, b) => PRIORITIES.indexOf(b.priority) - PRIORITIES.indexOf(a.priority),
  created: (a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0),
};

function query(data, params) {
  const filter = params.filter ?? 'open';
  if (!FILTERS.includes(filter)) {
    throw new TodoError('INVALID_PARAMETER', `筛选条件无效: ${filter}，可选: ${FILTERS.join(', ')}`);
  }
  const sort = params.sort ?? 'manual';
  if (!SORTS.includes(sort)) {
    throw new TodoError('INVALID_PARAMETER', `排序方式无效: ${sort}，可选: ${SORTS.join(', ')}`);
  }
  const list = params.list === undefined || params.list === null ? null : findList(data, params.list);
  const words = (params.text ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const contains = (item) => {
    const haystack = [item.title, item.note, ...item.tags].join('\n').toLowerCase();
    return words.every((word) => haystack.includes(word));
  };
  let found = data.items.filter(
    (item) =>
      MATCHES[filter](item) &&
      (list === null || item.list === list.id) &&
      (params.tag === undefined || item.tags.includes(params.tag)) &&
      (params.priority === undefined || item.priority === priority(params.priority)) &&
      contains(item),
  );
  if (sort !== 'manual') found = [...found].sort(ORDERS[sort]);
  const limit = Number.isInteger(params.limit) ? Math.min(Math.max(params.limit, 1), 200) : 100;
  return {
    items: found.slice(0, limit).map((item) => shown(data, item)),
    total: found.length,
    truncated: found.length > limit,
  };
}

const CHANGES = {
  create_list: createList,
  rename_list: renameList,
  delete_list: deleteList,
  add,
  edit,
  done: mark(true),
  undo: mark(false),
  delete: deleteItem,
  reorder,
  clear_done: clearDone,
};
const QUERIES = { lists, query, show };
const ACTIONS = [...Object.keys(QUERIES), ...Object.keys(CHANGES)];

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'todolist',
      description: '待办清单：多个清单，带日期、优先级和标签，可查询过期和今天的事项。数据保存在本机，离线可用。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['待办', '清单', '效率', '内置'],
      scenarios: [
        '记下要做的事，设置日期、优先级和标签',
        '完成、恢复、修改、排序和删除待办',
        '查询过期、今天、本周或包含某些文字的待办',
        '用多个清单区分不同的项目',
      ],
      limitations: [
        `最多 ${MAX_LISTS} 个清单、${MAX_ITEMS} 项待办`,
        `标题最多 ${MAX_TITLE} 个字符，备注最多 ${MAX_NOTE} 个字符`,
        '日期按本机时区；没有提醒，也不与其他设备同步',
      ],
    };
  },

  getTranslations() {
    return { en: english({ lists: MAX_LISTS, items: MAX_ITEMS, title: MAX_TITLE, note: MAX_NOTE }) };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: ACTIONS, description: '要做的操作', example: 'query' },
          id: { type: 'string', description: '待办的编号', maxLength: 64 },
          list: { type: 'string', description: '清单的编号或名称；add 不填则用第一个清单', maxLength: 100 },
          name: { type: 'string', description: 'create_list、rename_list 的清单名称', maxLength: 100 },
          title: { type: 'string', description: '待办的标题', maxLength: MAX_TITLE },
          note: { type: 'string', description: '备注', maxLength: MAX_NOTE },
          due: { type: 'string', description: '日期，例如 2025-12-31 或 2025-12-31T18:00；空字符串表示去掉日期', maxLength: 40 },
          priority: { type: 'string', enum: PRIORITIES, description: '优先级' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: MAX_TAGS, description: '标签' },
          position: { type: 'integer', minimum: 1, description: 'reorder 的新位置，从 1 开始' },
          filter: { type: 'string', enum: FILTERS, description: 'query 的条件，默认 open' },
          sort: { type: 'string', enum: SORTS, description: 'query 的排序，默认 manual（手动顺序）' },
          text: { type: 'string', description: 'query 要包含的文字，空格分开的每个词都要出现', maxLength: 200 },
          tag: { type: 'string', description: 'query 要有的标签', maxLength: 50 },
          limit: { type: 'integer', minimum: 1, maximum: 200, description: 'query 最多多少项，默认 100' },
          force: { type: 'boolean', default: false, description: 'delete_list 是否连同其中的待办一起删除' },
        },
        required: ['action'],
      },
      environment: { type: 'object', properties: {}, required: [] },
    };
  },

  getBusinessErrors() {
    const withCode = (code) => (error) => error?.code === code;
    return [
      { code: 'ITEM_NOT_FOUND', description: '没有这项待办', match: /没有待办/, solution: '用 query 查看现有待办的编号。', retryable: false },
      { code: 'LIST_NOT_FOUND', description: '没有这个清单', match: /没有清单/, solution: '用 lists 查看现有清单，或用 create_list 建立。', retryable: false },
      { code: 'LIST_EXISTS', description: '已有同名清单', match: withCode('LIST_EXISTS'), solution: '换一个名称，或直接使用已有的清单。', retryable: false },
      { code: 'LIST_NOT_EMPTY', description: '清单里还有待办', match: withCode('LIST_NOT_EMPTY'), solution: '先移走或删除其中的待办，确认全部删除时加 force: true。', retryable: false },
      { code: 'INVALID_DUE', description: '日期无效', match: '日期无效', solution: '写成 2025-12-31 或 2025-12-31T18:00。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
      { code: 'LIMIT_REACHED', description: '数量已到上限', match: withCode('LIMIT_REACHED'), solution: '用 clear_done 清理已完成的待办，或删除不用的清单。', retryable: false },
      { code: 'DATA_DAMAGED', description: '保存的数据无法使用', match: withCode('DATA_DAMAGED'), solution: '从备份恢复工具目录下的 data/storage.json，或更新程序。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return { sandboxType: 'nodejs', maxMemory: 128, maxExecutionTime: 15, networkAccess: false };
  },

  async execute(params) {
    const action = params?.action;
    if (!ACTIONS.includes(action)) {
      throw new TodoError('INVALID_PARAMETER', `不支持的操作: ${action}，可选: ${ACTIONS.join(', ')}`);
    }
    const data = await load(this);
    if (Object.hasOwn(QUERIES, action)) return QUERIES[action](data, params);
    const result = CHANGES[action](data, params);
    await save(this, data);
    this.api.logger?.debug?.('待办已保存', { action, items: data.items.length });
    return result;
  },
};
