// module: the class of CommonJS modules.
module.exports = require('internal/common').Module;
