// Packages that built-in tools install at their first use: not here when their types are checked.
declare module 'sql.js';
declare module 'pdfjs-dist/legacy/build/pdf.mjs';
