// stream: the package readable-stream is Node's own.
module.exports = require('internal/readable_stream');
