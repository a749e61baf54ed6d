// The words of the page and of the tray, so that steps name what a person reads.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const locales = join(dirname(fileURLToPath(import.meta.url)), '../../ui/src/locales');

/** What the person has chosen before the window is opened. */
export const FIRST = 'zh-CN';

/** `word('en', 'tools.tabs.run')` */
export function word(language, path) {
  const [file, ...keys] = path.split('.');
  let found = JSON.parse(readFileSync(join(locales, language, `${file}.json`), 'utf8'));
  for (const key of keys) found = found?.[key];
  if (typeof found !== 'string') throw new Error(`no words ${path}`);
  return found;
}

/** The tray's (src-tauri/src/words.rs). */
export const TRAY = {
  'zh-CN': {
    running: /^服务运行中：http:\/\/127\.0\.0\.1:\d+$/,
    stopped: /^服务已停止$/,
    stop: '停止服务',
    start: '启动服务',
    copy: '复制 MCP 地址',
    open: '打开窗口',
    tools: '运行工具',
    find: '查找提示词',
    pictures: '最近的图片',
    update: '检查更新',
    about: '关于 Prompt Manager',
    quit: '退出',
  },
  en: {
    running: /^Server is running: http:\/\/127\.0\.0\.1:\d+$/,
    stopped: /^Server is stopped$/,
    stop: 'Stop server',
    start: 'Start server',
    copy: 'Copy MCP address',
    open: 'Open window',
    tools: 'Run a tool',
    find: 'Find a prompt',
    pictures: 'Last pictures',
    update: 'Check for updates',
    about: 'About Prompt Manager',
    quit: 'Quit',
  },
};
