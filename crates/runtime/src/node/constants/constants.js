// constants: those of fs and os, in one object.
const os = require('os');
Object.assign(exports, os.constants.errno, os.constants.signals, os.constants.priority, require('fs').constants);
