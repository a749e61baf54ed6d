/**
 * What a tool of Prompt Manager is and what it finds in `this`, for editors and for tsc.
 *
 * Put this file beside your tool, or anywhere your editor looks, and write above the export:
 *
 *     /** @type {import('prompt-manager').Tool} *\/
 *     export default { … };
 *
 * Nothing is imported when the tool runs: the module `prompt-manager` is types alone. The guide is
 * docs/tools.md.
 */
declare module 'prompt-manager' {
  type Json = null | boolean | number | string | Json[] | { [key: string]: Json | undefined };

  /** One parameter, or one variable of the environment. What a run is given is checked against it first. */
  type Type = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array' | 'null';

  interface Property {
    type: Type | Type[];
    description?: string;
    /** Filled in when the parameter is missing. */
    default?: Json;
    example?: Json;
    enum?: readonly Json[];
    minimum?: number;
    maximum?: number;
    minLength?: number;
    maxLength?: number;
    minItems?: number;
    maxItems?: number;
    pattern?: string;
    format?: string;
    items?: Partial<Property>;
    properties?: Record<string, Property>;
    required?: string[];
    /** A variable that is masked wherever it is shown or written. */
    secret?: boolean;
  }

  interface ObjectSchema {
    type?: 'object';
    properties: Record<string, Property>;
    required?: string[];
  }

  interface Schema {
    parameters: ObjectSchema;
    /** Variables of `.env`; names match `[A-Z_][A-Z0-9_]*`. */
    environment?: ObjectSchema;
  }

  interface Metadata {
    name: string;
    description: string;
    /** Semantic version. */
    version: string;
    author?: string;
    tags?: string[];
    scenarios?: string[];
    limitations?: string[];
  }

  interface ThrownError extends Error {
    code?: string;
  }

  /** A failure that the tool foresees. Whoever ran it is told the solution. */
  interface BusinessError {
    code: string;
    description: string;
    solution: string;
    /** Tested in JavaScript: an expression or a text in the message, or a function of the error. */
    match: RegExp | string | ((error: ThrownError) => boolean);
    /** Whether the same call may succeed later. */
    retryable?: boolean;
  }

  interface RuntimeConfig {
    /** `quickjs`, which `nodejs` means as well, is the rule; `node` is this machine's Node behind the same walls. */
    sandboxType?: 'quickjs' | 'nodejs' | 'node' | 'python';
    /** Megabytes; 512 unless said. */
    maxMemory?: number;
    /** Seconds; 30 unless said. */
    maxExecutionTime?: number;
    /** `~`, `~/.prompt-manager` and `{toolname}` are understood. Asked for, not had: a person grants them. */
    allowedDirectories?: string[];
    /** Asked for, not had. `hosts` are names, `*` any public one; `loopback` are ports of this machine. */
    networkAccess?: boolean | { hosts?: string[]; loopback?: number[] };
    /** Whether it starts programs. Asked for, not had. */
    processes?: boolean;
    environment?: Record<string, string>;
    /** How many runs at once, each in a worker of its own; 1 unless said. */
    concurrency?: number;
  }

  type Log = (message: unknown, ...more: unknown[]) => void;

  interface Api {
    /** Written to `run.log`, secrets masked. */
    logger: { debug: Log; info: Log; log: Log; warn: Log; error: Log };
    environment: {
      get(name: string): string | undefined;
      /** For this worker alone; `.env` is not changed. */
      set(name: string, value: string): void;
    };
    /** `data/storage.json`: there at once and after a restart. Values are JSON. */
    storage: {
      getItem(key: string): any;
      setItem(key: string, value: unknown): void;
      removeItem(key: string): void;
      clear(): void;
    };
    /** Shown while the run lasts. */
    progress(done: number, total?: number, text?: string): void;
  }

  /** `this` in every function of a tool; new for each call. A tool's own members are there beside it and win. */
  interface ToolContext {
    readonly api: Api;
    readonly __toolDir: string;
    readonly __toolName: string;
    _allowedDirectories: string[];
    getAllowedDirectories(): string[];
    initializeFilesystem(): string[];
    /** Absolute path of one in the allowed directories, relative ones in the first of them; throws `path_not_allowed` for others. */
    resolvePromptManagerPath(path: string): string;
    requireToolModule(name: string): any;
    importToolModule(name: string): Promise<any>;
  }

  type Self = ToolContext & { [member: string]: any };

  interface Tool {
    execute(this: Self, params: any): unknown;
    getMetadata?(this: Self): Metadata;
    getSchema?(this: Self): Schema;
    getBusinessErrors?(this: Self): BusinessError[];
    /** Packages of npm and their ranges; `'local'` is a file of the tool's own folder. */
    getDependencies?(this: Self): Record<string, string>;
    /** Commands of the machine and the versions that will do. */
    getSystemDependencies?(this: Self): Record<string, string>;
    getRuntimeConfig?(this: Self): RuntimeConfig;
    /** Instead of the manual that is made of all the above. */
    generateManual?(this: Self): string;
    /** Other languages for the texts of all the above: `{en: {text: other text}}`. */
    getTranslations?(this: Self): Record<string, Record<string, string>>;
    [member: string]: unknown;
  }
}

/** The canvas of this runtime, by the names of node-canvas. */
declare module 'canvas' {
  interface ToolCanvas extends Omit<HTMLCanvasElement, 'getContext'> {
    getContext(kind: '2d', options?: CanvasRenderingContext2DSettings & { vector?: boolean }): CanvasRenderingContext2D;
    toBuffer(mimeType?: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/svg+xml'): Uint8Array;
  }
  export function createCanvas(width: number, height: number, type?: 'image' | 'svg'): ToolCanvas;
  export function loadImage(source: string | URL | Uint8Array): Promise<HTMLImageElement>;
  export function registerFont(path: string, face: { family: string; weight?: string; style?: string }): void;
}
