/**
 * chart：把数据画成图（柱、折线、饼、散点、热力、表格），给出 PNG 或 SVG。
 *
 * 用 canvas 模块画，没有依赖。这里有意不做的事：动画、交互、地图。
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { Buffer } from 'node:buffer';
import { english } from './english.js';
import { Fault } from './fault.js';
import { MAX_SERIES, MAX_TABLE_ROWS, MAX_VALUES, TYPES, dataOf } from './given.js';
import { THEME_NAMES, themeOf } from './theme.js';
import { drawBars } from './bars.js';
import { drawLines, drawScatter } from './lines.js';
import { drawPie } from './pie.js';
import { drawHeat } from './heat.js';
import { drawTable, rowHeight } from './table.js';

const DRAW = { bar: drawBars, line: drawLines, pie: drawPie, scatter: drawScatter, heatmap: drawHeat, table: drawTable };

/** 表格的高由行数决定，其余的由人决定。 */
function sizeOf(params, data) {
  const width = params.width ?? 800;
  if (params.type !== 'table') return { width, height: params.height ?? 480 };
  const head = (params.title ? 26 : 0) + (params.subtitle ? 20 : 0) + (params.title || params.subtitle ? 8 : 0);
  return { width, height: params.height ?? 48 + head + (data.rows.length + 1) * rowHeight + 2 };
}

/** 一张图最多多少像素；宿主的画布不能再大。 */
const MAX_PIXELS = 16e6;
const USUAL_SCALE = 2;

/** 行多的表格很高：没有指定倍数时缩小，画得下就行。 */
function scaleOf(params, { width, height }) {
  const most = Math.sqrt(MAX_PIXELS / (width * height));
  const scale = params.format === 'svg' ? 1 : (params.scale ?? Math.max(1, Math.min(USUAL_SCALE, Math.floor(most * 100) / 100)));
  if (scale > most) throw new Fault('TOO_LARGE', `图的像素超过 ${MAX_PIXELS}: ${Math.round(width * scale)} × ${Math.round(height * scale)}`);
  return scale;
}

/** 写着中文的图用万和亿，别的用 K 和 M。 */
function numberStyle({ title, subtitle, x_title: x, y_title: y, labels, columns, series }) {
  const names = [title, subtitle, x, y, ...[labels, columns].flat(), ...(Array.isArray(series) ? series.map((one) => one?.name) : [])];
  return names.some((name) => typeof name === 'string' && /\p{Script=Han}/u.test(name)) ? 'zh' : 'en';
}

/** 名称说的要和内容一样。 */
function checkName({ save_as: name, format = 'png' }) {
  if (name !== undefined && !name.toLowerCase().endsWith(`.${format}`)) throw new Fault('INVALID_PARAMETER', `save_as 应以 .${format} 结尾: ${name}`);
}

async function drawn(params) {
  const data = dataOf(params);
  const { width, height } = sizeOf(params, data);
  const scale = scaleOf(params, { width, height });
  const { createCanvas } = await import('canvas');
  const isSvg = params.format === 'svg';
  const canvas = createCanvas(Math.round(width * scale), Math.round(height * scale), isSvg ? 'svg' : 'image');
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  DRAW[params.type](context, data, { ...params, width, height, language: params.number_style ?? numberStyle(params) }, themeOf(params.theme ?? 'light'));
  const bytes = Buffer.from(isSvg ? canvas.toBuffer() : canvas.toBuffer('image/png'));
  return { bytes, isSvg, width: canvas.width, height: canvas.height };
}

/** 先写到旁边再改名：中途停止时不会留下半张图。 */
async function save(tool, shown, bytes) {
  const target = await tool.resolvePromptManagerPath(shown);
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${randomUUID()}.tmp`);
  try {
    await fs.mkdir(path.dirname(target), { recursive: true });
    await fs.writeFile(temporary, bytes);
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true }).catch(() => {});
    throw new Fault('NOT_SAVED', `无法保存到 ${shown}: ${error?.message}`);
  }
  return target;
}

/** @type {import('prompt-manager').Tool} */
export default {
  getDependencies() {
    return {};
  },

  getMetadata() {
    return {
      name: 'chart',
      description: '把数据画成图：柱状图、折线图、饼图、散点图、热力图和表格，给出 PNG 或 SVG。中文和其他文字都能写。',
      version: '1.0.0',
      author: 'Prompt Manager',
      tags: ['图表', '数据', '绘图', '内置'],
      scenarios: ['用柱状图比较几类的大小，可以并排、堆叠或横放', '用折线图看变化，用散点图看两个量的关系', '用饼图看各部分占多少，用热力图看一张表里的高低', '把一张表变成图片，或保存成文件'],
      limitations: [`最多 ${MAX_SERIES} 个系列，一共 ${MAX_VALUES} 个值；表格最多 ${MAX_TABLE_ROWS} 行`, '横轴是类别（散点图是数），没有时间轴和对数轴', '没有动画和交互'],
    };
  },

  getTranslations() {
    return { en: english({ series: MAX_SERIES, values: MAX_VALUES, rows: MAX_TABLE_ROWS }) };
  },

  getSchema() {
    return {
      parameters: {
        type: 'object',
        properties: {
          type: { type: 'string', enum: TYPES, description: '哪种图', example: 'bar' },
          title: { type: 'string', maxLength: 200, description: '标题' },
          subtitle: { type: 'string', maxLength: 300, description: '副标题，例如单位和来源' },
          labels: { type: 'array', items: { type: ['string', 'number'] }, description: '各类别的名称；热力图是各行的名称', example: ['A', 'B'] },
          values: { type: 'array', items: { type: ['number', 'string', 'null'] }, description: '只有一个系列时的各个值', example: [3, 5] },
          series: { type: 'array', items: { type: 'object' }, description: '各个系列：{name, values}，散点图是 {name, points: [[x, y]]}；没有的值用 null' },
          columns: { type: 'array', items: { type: ['string', 'number'] }, description: '表格和热力图各列的名称' },
          rows: { type: 'array', items: { type: 'array', items: { type: ['string', 'number', 'boolean', 'null'] } }, description: '表格和热力图的各行，每行一个列表' },
          stacked: { type: 'boolean', default: false, description: '柱状图是否堆叠' },
          horizontal: { type: 'boolean', default: false, description: '柱状图是否横放；名称长时横放好读' },
          show_values: { type: 'boolean', default: false, description: '柱上是否写出数' },
          x_title: { type: 'string', maxLength: 100, description: '横轴的名称' },
          y_title: { type: 'string', maxLength: 100, description: '纵轴的名称' },
          theme: { type: 'string', enum: THEME_NAMES, default: 'light', description: '浅色或深色' },
          number_style: { type: 'string', enum: ['zh', 'en'], description: '大数的写法：zh 用万和亿，en 用 K、M、B；不填则看标题和名称里有没有中文' },
          width: { type: 'integer', minimum: 200, maximum: 3000, default: 800, description: '宽' },
          height: { type: 'integer', minimum: 150, maximum: 3000, description: '高，默认 480；表格默认由行数决定' },
          scale: { type: 'number', minimum: 1, maximum: 4, description: 'PNG 每个单位几个像素；默认 2，放不下时小一些' },
          format: { type: 'string', enum: ['png', 'svg'], default: 'png', description: '给出哪种格式' },
          save_as: { type: 'string', maxLength: 4096, description: '另外保存成文件，以 .png 或 .svg 结尾，和 format 一致；相对路径在第一个允许的目录里' },
        },
        required: ['type'],
      },
      environment: {
        type: 'object',
        properties: {
          ALLOWED_DIRECTORIES: {
            type: 'string',
            description: 'save_as 可以保存到的目录：JSON 数组、逗号分隔，或单个路径',
            example: '["~/.prompt-manager/shared"]',
          },
        },
        required: [],
      },
    };
  },

  getBusinessErrors() {
    const withCode = (code) => (error) => error?.code === code;
    return [
      { code: 'INVALID_DATA', description: '数据不适合这种图', match: withCode('INVALID_DATA'), solution: '柱、折线、饼用 labels 和 values（或 series），散点用 series 的 points，热力和表格用 columns 和 rows。', retryable: false },
      { code: 'TOO_LARGE', description: '图太大', match: withCode('TOO_LARGE'), solution: '减小 width、height 或 scale。', retryable: false },
      { code: 'PATH_NOT_ALLOWED', description: '路径不在允许的目录内', match: /路径越权/, solution: '保存到允许的目录里，例如只写文件名。', retryable: false },
      { code: 'NOT_SAVED', description: '文件没有保存', match: withCode('NOT_SAVED'), solution: '换一个位置或名称。', retryable: true },
      { code: 'INVALID_PARAMETER', description: '参数缺少或无效', match: withCode('INVALID_PARAMETER'), solution: '按参数说明补上或修正。', retryable: false },
    ];
  },

  getRuntimeConfig() {
    return {
      sandboxType: 'nodejs',
      maxMemory: 512,
      maxExecutionTime: 60,
      allowedDirectories: ['~/.prompt-manager/shared', '~/.prompt-manager/toolbox/{toolname}/data'],
      networkAccess: false,
    };
  },

  async execute(params) {
    if (!TYPES.includes(params?.type)) throw new Fault('INVALID_PARAMETER', `不支持的图: ${params?.type}，可选: ${TYPES.join(', ')}`);
    checkName(params);
    const { bytes, isSvg, width, height } = await drawn(params);
    const saved = params.save_as === undefined ? {} : { file: await save(this, params.save_as, bytes) };
    this.api.logger.debug('已画图', { type: params.type, width, height, bytes: bytes.length });
    if (isSvg) return { type: params.type, width, height, ...saved, svg: bytes.toString('utf8') };
    return { type: params.type, width, height, ...saved, mimeType: 'image/png', base64: bytes.toString('base64') };
  },
};
