// stream: the package readable-stream is Node's own.
module.exports = require('internal/readable_stream');
require('internal/web_adapters').install();
