/**
 * ollama-remote：使用一个 Ollama 服务上的模型：列出、聊天、续写、向量。
 *
 * 回答一段一段地来，随时显示在进度里。这里有意不做的事：下载和删除模型、工具调用。
 */
import { english } from './english.js';
import { Fault } from './fault.js';
import { ask, stream } from './service.js';

const DEFAULT_BASE = 'http://127.0.0.1:11434';
const ROLES = ['system', 'user', 'assistant'];

function serviceOf(tool, params) {
  const get = (name) => tool.api.environment.get(name);
  return { base: get('OLLAMA_BASE_URL') || DEFAULT_BASE, key: get('OLLAMA_API_KEY'), timeout: params.timeout_ms ?? 120000 };
}

function modelOf(tool, params) {
  const model = params.model || tool.api.environment.get('OLLAMA_MODEL');
  if (!model) throw new Fault('INVALID_PARAMETER', '缺少参数: model（或用 configure 模式设置 OLLAMA_MODEL）');
  return model;
}

function required(params, name) {
  const value = params[name];
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) throw new Fault('INVALID_PARAMETER', `缺少参数: ${name}`);
  return value;
}

function common(tool, params) {
  const options = { ...params.options };
  if (params.temperature !== undefined) options.temperature = params.temperature;
  if (params.max_tokens !== undefined) options.num_predict = params.max_tokens;
  return {
    model: modelOf(tool, params),
    stream: true,
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(params.format === undefined ? {} : { format: params.format }),
  };
}

/** 收集一段一段的回答；没有结尾的回答不能当作完整的。 */
async function collected(tool, params, path, body, textOf) {
  let text = '';
  let thinking = '';
  let last;
  let pieces = 0;
  for await (const one of stream(serviceOf(tool, params), path, body)) {
    text += textOf(one) ?? '';
    thinking += one.message?.thinking ?? one.thinking ?? '';
    pieces += 1;
    tool.api.progress(pieces, undefined, (text || thinking).slice(-200));
    if (one.done === true) last = one;
  }
  if (last === undefined) throw new Fault('ANSWER_CUT', `回答没有说完就断了，已收到 ${text.length} 个字符`);
  const milliseconds = typeof last.total_duration === 'number' ? Math.round(last.total_duration / 1e6) : undefined;
  tool.api.logger.info('模型已回答', { model: body.model, characters: text.length, tokens: last.eval_count });
  return {
    model: body.model,
    text,
    ...(thinking === '' ? {} : { thinking }),
    stopped: last.done_reason ?? 'stop',
    usage: { input: last.prompt_eval_count ?? null, output: last.eval_count ?? null },
    ...(milliseconds === undefined ? {} : { durationMs: milliseconds }),
  };
}

async function models(tool, params) {
  const { models: found } = await ask(serviceOf(tool, params), '/api/tags');
  if (!Array.isArray(found)) throw new Fault('SERVICE_ERROR', '服务没有给出模型的列表');
  return {
    models: found.map((one) => ({
      name: one.name,
      size: one.size,
      modified: one.modified_at,
      family: one.details?.family,
      parameters: one.details?.parameter_size,
      quantization: one.details?.quantization_level,
    })),
  };
}

async function show(tool, params) {
  const model = modelOf(tool, params);
  const found = await ask(serviceOf(tool, params), '/api/show', { model });
  const context = Object.entries(found.model_info ?? {}).find(([name]) => name.endsWith('.context_length'));
  return { model, details: found.details ?? {}, capabilities: found.capabilities ?? [], template: found.template ?? '', parameters: found.parameters ?? '', ...(context === undefined ? {} : { context: context[1] }) };
}

function chat(tool, params) {
  const messages = required(params, 'messages');
  for (const [i, one] of messages.entries()) {
    if (!ROLES.includes(one?.role) || typeof one.content !== 'string') {
      throw new Fault('INVALID_PARAMETER', `messages[${i}] 应为 {role, content}，role 可选: ${ROLES.join(', ')}`);
    }
  }
  const system = params.system === undefined ? [] : [{ role: 'system', content: params.system }];
  const body = { ...common(tool, params), messages: [...system, ...messages.map(({ role, content }) => ({ role, content }))] };
  return collected(tool, params, '/api/chat', body, (one) => one.message?.content);
}

function generate(tool, params) {
  const body = { ...common(tool, params), prompt: required(params, 'prompt'), ...(params.system === undefined ? {} : { system: params.system }) };
  return collected(tool, params, '/api/generate', body, (one) => one.response);
}

async function embed(tool, params) {
  const input = required(params, 'input');
  if (!input.every((one) => typeof one === 'string')) throw new Fault('INVALID_PARAMETER', 'input 应为文字的列表');
  const model = modelOf(tool, params);
  const { embeddings } = await ask(serviceOf(tool, params), '/api/embed', { model, input });
  if (!Array.isArray(embeddings) || embeddings.length !== input.length) throw new Fault('SERVICE_ERROR', '服务没有给出每段文字的向量');
  return { model, dimensions: embeddings[0]?.length ?? 0, embeddings };
}

const ACTIONS = { models, show, chat, generate, embed };

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'ollama-remote',
      description: '使用 Ollama 服务上的模型：列出模型、聊天、续写、计算向量，回答边生成边显示。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['模型', 'Ollama', '聊天', '内置'],
      scenarios: ['让另一个模型回答或检查', '用本机的小模型处理不想发到网上的内容', '把文字变成向量，比较相近的程度'],
      limitations: ['服务在本机的 11434 端口或公网上；内网的其他机器连不到', '不下载和删除模型，不做工具调用', '一次回答最多 8 MB'],
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
          action: { type: 'string', enum: Object.keys(ACTIONS), description: '要做的操作', example: 'models' },
          model: { type: 'string', maxLength: 200, description: '模型的名称；不填则用 OLLAMA_MODEL' },
          messages: { type: 'array', maxItems: 500, items: { type: 'object' }, description: 'chat 的消息：{role, content} 的列表' },
          prompt: { type: 'string', maxLength: 1000000, description: 'generate 的提示' },
          system: { type: 'string', maxLength: 100000, description: 'chat、generate 的系统提示' },
          input: { type: 'array', items: { type: 'string' }, maxItems: 500, description: 'embed 的各段文字' },
          format: { type: 'string', enum: ['json'], description: '要求回答是 JSON' },
          temperature: { type: 'number', minimum: 0, maximum: 2, description: '随机的程度' },
          max_tokens: { type: 'integer', minimum: 1, maximum: 131072, description: '最多生成多少词元' },
          options: { type: 'object', description: 'Ollama 的其他选项，例如 {"num_ctx": 8192}' },
          timeout_ms: { type: 'integer', minimum: 100, maximum: 580000, default: 120000, description: '最多等多少毫秒' },
        },
        required: ['action'],
      },
      environment: {
        type: 'object',
        properties: {
          OLLAMA_BASE_URL: { type: 'string', description: '服务的地址', default: DEFAULT_BASE, example: 'https://ollama.example.com' },
          OLLAMA_MODEL: { type: 'string', description: '不填 model 时用的模型' },
          OLLAMA_API_KEY: { type: 'string', secret: true, description: '服务要的密钥，作为 Bearer 发出' },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (...codes) => (error) => codes.includes(error?.code);
    return [
      { code: 'CONNECTION_FAILED', description: '连不到服务', match: withCode('CONNECTION_FAILED'), solution: '确认 Ollama 已启动；地址用 configure 模式的 OLLAMA_BASE_URL 设置。', retryable: true },
      { code: 'ADDRESS_REFUSED', description: '不允许连接这个地址', match: withCode('ADDRESS_REFUSED'), solution: '服务只能在本机的 11434 端口或公网上。', retryable: false },
      { code: 'INVALID_URL', description: '服务的地址无效', match: withCode('INVALID_URL'), solution: '把 OLLAMA_BASE_URL 写成 http://127.0.0.1:11434。', retryable: false },
      { code: 'MODEL_NOT_FOUND', description: '没有这个模型', match: withCode('MODEL_NOT_FOUND'), solution: '用 models 查看有哪些；没有的在服务那边用 ollama pull 下载。', retryable: false },
      { code: 'NOT_AUTHORISED', description: '服务要密钥，或密钥不对', match: withCode('NOT_AUTHORISED'), solution: '用 configure 模式设置 OLLAMA_API_KEY。', retryable: false },
      { code: 'ANSWER_CUT', description: '回答没有说完就断了', match: withCode('ANSWER_CUT'), solution: '稍后重试；常常是服务的内存不够。', retryable: true },
      { code: 'ANSWER_TOO_LONG', description: '回答太长', match: withCode('ANSWER_TOO_LONG'), solution: '用 max_tokens 限制长度。', retryable: false },
      { code: 'SERVICE_ERROR', description: '服务出错', match: withCode('SERVICE_ERROR'), solution: '看错误信息和服务的日志；稍后重试。', retryable: true },
      { code: 'TIMEOUT', description: '超过时间限制', match: withCode('TIMEOUT'), solution: '调大 timeout_ms，或换小一点的模型。', retryable: true },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return { sandboxType: 'nodejs', maxMemory: 256, maxExecutionTime: 600, networkAccess: { hosts: ['*'], loopback: [11434] } };
  },

  async execute(params) {
    const action = Object.hasOwn(ACTIONS, params?.action) ? ACTIONS[params.action] : undefined;
    if (action === undefined) throw new Fault('INVALID_PARAMETER', `不支持的操作: ${params?.action}，可选: ${Object.keys(ACTIONS).join(', ')}`);
    return action(this, params);
  },
};
