/**
 * thinking：把思考一步一步记下来，可以修正前面的一步，也可以从某一步分出另一条思路。
 *
 * 工具自己不思考，只让模型的思考有编号、有结构、过后还在。记录在 api.storage 里。
 * 这里有意不做的事：评价思考的对错、调用模型。
 */
import { english } from './english.js';
import { Fault } from './fault.js';

const INDEX = 'sessions';
const MAX_SESSIONS = 100;
const MAX_STEPS = 300;
const MAX_BRANCHES = 30;
const MAX_THOUGHT = 10000;
const MAIN = 'main';

// ---------------------------------------------------------------- 数据

const keyOf = (id) => `session:${id}`;

/** 数据坏了就停下，不悄悄从空的开始：那会盖掉已有的记录。 */
function indexOf(tool) {
  const index = tool.api.storage.getItem(INDEX) ?? { next: 1, ids: [] };
  if (!Number.isInteger(index?.next) || !Array.isArray(index.ids)) throw new Fault('DATA_DAMAGED', '思考的记录已损坏，没有改动它');
  return index;
}

function load(tool, id) {
  const session = tool.api.storage.getItem(keyOf(id));
  if (session === null) throw new Fault('SESSION_NOT_FOUND', `没有这次思考: ${id}`);
  if (!Array.isArray(session.steps) || typeof session.branches !== 'object') throw new Fault('DATA_DAMAGED', `记录已损坏: ${id}`);
  return session;
}

function save(tool, session) {
  tool.api.storage.setItem(keyOf(session.id), { ...session, updatedAt: new Date().toISOString() });
}

/** 不指定时是最近开始、还没有结束的那一次。 */
function current(tool, wanted) {
  if (wanted !== undefined) return load(tool, wanted);
  for (const id of [...indexOf(tool).ids].reverse()) {
    const session = load(tool, id);
    if (session.conclusion === undefined) return session;
  }
  throw new Fault('SESSION_NOT_FOUND', '没有进行中的思考，请先用 start 开始');
}

function text(value, name, maximum) {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  if (trimmed === '') throw new Fault('INVALID_PARAMETER', `缺少参数: ${name}`);
  if ([...trimmed].length > maximum) throw new Fault('INVALID_PARAMETER', `参数 ${name} 最多 ${maximum} 个字符`);
  return trimmed;
}

function stepOf(session, number, name) {
  if (number === undefined) throw new Fault('INVALID_PARAMETER', `缺少参数: ${name}`);
  const step = session.steps.find((one) => one.number === number);
  if (step === undefined) throw new Fault('STEP_NOT_FOUND', `参数 ${name}: 没有第 ${number} 步，共 ${session.steps.length} 步`);
  return step;
}

/** 从头到某一步的路：每一步只知道自己接在哪一步之后。 */
function pathTo(session, last) {
  const path = [];
  for (let number = last; number !== 0; ) {
    const step = session.steps.find((one) => one.number === number);
    if (step === undefined || path.length > session.steps.length) throw new Fault('DATA_DAMAGED', `记录已损坏: ${session.id}`);
    path.unshift(step);
    number = step.after;
  }
  return path;
}

function branchOf(session, name) {
  const branch = name ?? session.branch;
  if (!Object.hasOwn(session.branches, branch)) {
    throw new Fault('BRANCH_NOT_FOUND', `没有分支: ${branch}，有: ${Object.keys(session.branches).join(', ')}`);
  }
  return branch;
}

function summary(session) {
  const { id, topic, createdAt, updatedAt, steps, branches, conclusion, estimate } = session;
  return {
    session: id,
    topic,
    createdAt,
    ...(updatedAt === undefined ? {} : { updatedAt }),
    steps: steps.length,
    branches: Object.keys(branches),
    finished: conclusion !== undefined,
    ...(estimate === undefined ? {} : { estimate }),
    ...(conclusion === undefined ? {} : { conclusion }),
  };
}

// ---------------------------------------------------------------- 操作

function start(tool, params) {
  const index = indexOf(tool);
  if (index.ids.length >= MAX_SESSIONS) throw new Fault('LIMIT_REACHED', `已有 ${MAX_SESSIONS} 次思考，请先用 delete 清理`);
  const session = {
    id: `S${index.next}`,
    topic: text(params.topic, 'topic', 500),
    createdAt: new Date().toISOString(),
    ...(params.estimate === undefined ? {} : { estimate: params.estimate }),
    branch: MAIN,
    branches: { [MAIN]: 0 },
    steps: [],
  };
  // 先写内容再写目录：中途停止时，多一份没有列出的记录，好过列出一份没有的。
  save(tool, session);
  tool.api.storage.setItem(INDEX, { next: index.next + 1, ids: [...index.ids, session.id] });
  return summary(session);
}

/** 新的一步接在所在分支的末尾。 */
function append(session, thought, extra = {}) {
  if (session.conclusion !== undefined) throw new Fault('ALREADY_FINISHED', `这次思考已经结束: ${session.id}`);
  if (session.steps.length >= MAX_STEPS) throw new Fault('LIMIT_REACHED', `一次思考最多 ${MAX_STEPS} 步`);
  const step = { number: session.steps.length + 1, branch: session.branch, after: session.branches[session.branch], thought, at: new Date().toISOString(), ...extra };
  session.steps.push(step);
  session.branches[session.branch] = step.number;
  return step;
}

function answer(tool, session, step) {
  save(tool, session);
  const position = pathTo(session, step.number).length;
  const left = session.estimate === undefined ? {} : { left: Math.max(0, session.estimate - position) };
  return { session: session.id, step, position, ...left };
}

/** 大约要几步，哪一步都可以改。 */
function estimate(session, params) {
  if (params.estimate !== undefined) session.estimate = params.estimate;
}

function add(tool, params) {
  const session = current(tool, params.session);
  session.branch = branchOf(session, params.branch);
  estimate(session, params);
  return answer(tool, session, append(session, text(params.thought, 'thought', MAX_THOUGHT)));
}

/** 修正不改原来的一步：为什么改主意，也是思考。 */
function revise(tool, params) {
  const session = current(tool, params.session);
  const old = stepOf(session, params.step, 'step');
  session.branch = branchOf(session, params.branch);
  estimate(session, params);
  const step = append(session, text(params.thought, 'thought', MAX_THOUGHT), { revises: old.number });
  old.revisedBy = step.number;
  return answer(tool, session, step);
}

function branch(tool, params) {
  const session = current(tool, params.session);
  const name = text(params.branch, 'branch', 60);
  if (Object.hasOwn(session.branches, name)) throw new Fault('BRANCH_EXISTS', `已有分支: ${name}`);
  if (Object.keys(session.branches).length >= MAX_BRANCHES) throw new Fault('LIMIT_REACHED', `最多 ${MAX_BRANCHES} 个分支`);
  const from = params.step === 0 ? 0 : stepOf(session, params.step, 'step').number;
  Object.defineProperty(session.branches, name, { value: from, enumerable: true, configurable: true, writable: true });
  session.branch = name;
  estimate(session, params);
  return answer(tool, session, append(session, text(params.thought, 'thought', MAX_THOUGHT)));
}

function finish(tool, params) {
  const session = current(tool, params.session);
  if (session.conclusion !== undefined) throw new Fault('ALREADY_FINISHED', `这次思考已经结束: ${session.id}`);
  session.conclusion = text(params.conclusion, 'conclusion', MAX_THOUGHT);
  save(tool, session);
  return summary(session);
}

/** 一条思路从头到尾，修正过的注明。 */
function outline(path) {
  return path
    .map(({ number, thought, revises, revisedBy }) => {
      const notes = [revises === undefined ? '' : `修正第 ${revises} 步`, revisedBy === undefined ? '' : `已由第 ${revisedBy} 步修正`].filter(Boolean);
      return `${number}. ${notes.length > 0 ? `（${notes.join('，')}）` : ''}${thought}`;
    })
    .join('\n');
}

function show(tool, params) {
  const session = params.session === undefined ? latest(tool) : load(tool, params.session);
  const shown = params.branch === undefined ? Object.keys(session.branches) : [branchOf(session, params.branch)];
  return {
    ...summary(session),
    paths: shown.map((name) => ({ branch: name, outline: outline(pathTo(session, session.branches[name])) })),
  };
}

function latest(tool) {
  const id = indexOf(tool).ids.at(-1);
  if (id === undefined) throw new Fault('SESSION_NOT_FOUND', '还没有思考，请先用 start 开始');
  return load(tool, id);
}

function list(tool, params) {
  const limit = params.limit ?? 20;
  const { ids } = indexOf(tool);
  return { sessions: [...ids].reverse().slice(0, limit).map((id) => summary(load(tool, id))), total: ids.length };
}

function remove(tool, params) {
  const index = indexOf(tool);
  const id = text(params.session, 'session', 20);
  if (!index.ids.includes(id)) throw new Fault('SESSION_NOT_FOUND', `没有这次思考: ${id}`);
  tool.api.storage.setItem(INDEX, { ...index, ids: index.ids.filter((one) => one !== id) });
  tool.api.storage.removeItem(keyOf(id));
  return { deleted: id };
}

const ACTIONS = { start, add, revise, branch, show, list, finish, delete: remove };

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'thinking',
      description: '一步一步地思考并记下来：可以修正前面的一步，可以分出另一条思路，记录一直保留。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['思考', '推理', '计划', '内置'],
      scenarios: ['把复杂的问题分成几步，一步一步想', '发现前面想错了，修正那一步并说明原因', '在几种做法之间比较：从同一步分出几条思路', '过后回来看当时是怎么想的'],
      limitations: [`最多 ${MAX_SESSIONS} 次思考，每次最多 ${MAX_STEPS} 步、${MAX_BRANCHES} 个分支`, `一步最多 ${MAX_THOUGHT} 个字符`, '只记录，不评价对错'],
    };
  },

  getTranslations() {
    return { en: english({ sessions: MAX_SESSIONS, steps: MAX_STEPS, branches: MAX_BRANCHES, thought: MAX_THOUGHT }) };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          action: { type: 'string', enum: Object.keys(ACTIONS), description: '要做的操作', example: 'start' },
          topic: { type: 'string', maxLength: 500, description: 'start 要想的问题' },
          thought: { type: 'string', maxLength: MAX_THOUGHT, description: 'add、revise、branch 的这一步想了什么' },
          session: { type: 'string', maxLength: 20, description: '哪一次思考；不填则为进行中的最近一次' },
          step: { type: 'integer', minimum: 0, description: 'revise 要修正的、branch 从哪一步分出的步骤编号；branch 的 0 为从头' },
          branch: { type: 'string', maxLength: 60, description: '分支的名称；branch 建立它，其余操作在它上面继续' },
          estimate: { type: 'integer', minimum: 1, maximum: MAX_STEPS, description: '大约要几步，随时可以改' },
          conclusion: { type: 'string', maxLength: MAX_THOUGHT, description: 'finish 的结论' },
          limit: { type: 'integer', minimum: 1, maximum: MAX_SESSIONS, description: 'list 最多多少次，默认 20' },
        },
        required: ['action'],
      },
      environment: { type: 'object', properties: {}, required: [] },
    };
  },

  getBusinessErrors() {
    const withCode = (code) => (error) => error?.code === code;
    return [
      { code: 'SESSION_NOT_FOUND', description: '没有这次思考', match: withCode('SESSION_NOT_FOUND'), solution: '用 list 查看，或用 start 开始新的。', retryable: false },
      { code: 'STEP_NOT_FOUND', description: '没有这一步', match: withCode('STEP_NOT_FOUND'), solution: '用 show 查看各步的编号。', retryable: false },
      { code: 'BRANCH_NOT_FOUND', description: '没有这个分支', match: withCode('BRANCH_NOT_FOUND'), solution: '用 show 查看分支，或用 branch 建立。', retryable: false },
      { code: 'BRANCH_EXISTS', description: '已有同名分支', match: withCode('BRANCH_EXISTS'), solution: '换一个名称，或用 add 在那个分支上继续。', retryable: false },
      { code: 'ALREADY_FINISHED', description: '这次思考已经结束', match: withCode('ALREADY_FINISHED'), solution: '用 start 开始新的一次。', retryable: false },
      { code: 'LIMIT_REACHED', description: '数量已到上限', match: withCode('LIMIT_REACHED'), solution: '用 finish 得出结论，或用 delete 清理旧的记录。', retryable: false },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
      { code: 'DATA_DAMAGED', description: '保存的记录无法使用', match: withCode('DATA_DAMAGED'), solution: '从备份恢复工具目录下的 data/storage.json。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return { sandboxType: 'nodejs', maxMemory: 128, maxExecutionTime: 15, networkAccess: false };
  },

  async execute(params) {
    const action = Object.hasOwn(ACTIONS, params?.action) ? ACTIONS[params.action] : undefined;
    if (action === undefined) throw new Fault('INVALID_PARAMETER', `不支持的操作: ${params?.action}，可选: ${Object.keys(ACTIONS).join(', ')}`);
    const result = action(this, params);
    this.api.logger.debug('思考已记录', { action: params.action });
    return result;
  },
};
