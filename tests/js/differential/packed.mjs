// For zlib.mjs: compressed by Node, whole and damaged.
export const PACKED = {
 "deflate 0": {
  "with": "inflateSync",
  "data": "eAEBJgPZ/HRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggzqnDvMOxrc0pcg=="
 },
 "raw 0": {
  "with": "inflateRawSync",
  "data": "ASYD2fx0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IM6pw7zDsQ=="
 },
 "gzip 0": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAEAwEmA9n8dGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCB0aGUgcXVpY2sgYnJvd24gZm94IHRoZSBxdWljayBicm93biBmb3ggdGhlIHF1aWNrIGJyb3duIGZveCDOqcO8w7ERwNxqJgMAAA=="
 },
 "deflate 1": {
  "with": "inflateSync",
  "data": "eAEryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsNg9F0AM4L51Ye3nN4IwCtzSly"
 },
 "raw 1": {
  "with": "inflateRawSync",
  "data": "K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbDYPRdADOC+dWHt5zeCMA"
 },
 "gzip 1": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAEAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGw2D0XQAzgvnVh7ec3gjABHA3GomAwAA"
 },
 "deflate 6": {
  "with": "inflateSync",
  "data": "eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 },
 "raw 6": {
  "with": "inflateRawSync",
  "data": "K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbFRsVA4udW3l4z+GNAA=="
 },
 "gzip 6": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgMAAA=="
 },
 "deflate 9": {
  "with": "inflateSync",
  "data": "eNoryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 },
 "raw 9": {
  "with": "inflateRawSync",
  "data": "K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbFRsVA4udW3l4z+GNAA=="
 },
 "gzip 9": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAACAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgMAAA=="
 },
 "strategy 1": {
  "with": "inflateSync",
  "data": "eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxVTSMuvUDi38vCewxsBrc0pcg=="
 },
 "strategy 2": {
  "with": "inflateSync",
  "data": "eAEFwbFtBTAIQMFV3mxYRkZIRraMYKVfpk/3+8yUu7cmJ204cqM2Gs1bk5M2HLlRG43mrclJG47cqI1G89bkpA1HbtRGo3lrctKGIzdqo9G8NTlpw5EbtdFo3pqctOHIjdpoNG9NTtpw5EZtNJq3JidtOHKjNhrNW5OTNhy5URuN5q3JSRuO3KiNRvPW5KQNR27URqN5a3LShiM3aqPRvDU5acORG7XRaN6anLThyI3aaDRvTU7acORGbTSatyYnbThyozYazVuTkzYcuVEbjeatyUkbjtyojUbz1uSkDUdu1EajeWty0oYjN2qj0bw1OWnDkRu10Wjempy04ciN2mg0b01O2nDkRm00mrcmJ204cqM2Gs1bk5M2HLlRG43mrclJG47cqI1G89bkpA1HbtRGo3lrctKGIzdqo9G8NTlpw5EbtdFo3pqctOHIjdpoNG9NTtpw5EZtNJq3JidtOHKjNhrNW5OTNhy5URuN5q3JSRuO3KiNRvPW5KQNR27URqN5a3LShiM3aqPRvDU5acORG7XRaN6anLThyI3aaDRvTU7acORGbTSav8/39/vzD63NKXI="
 },
 "strategy 3": {
  "with": "inflateSync",
  "data": "eAEFwbFtBTAIQMFV3mxYRkZIRraMYKVfpk/3+8yUu7cmJ204cqM2Gs1bk5M2HLlRG43mrclJG47cqI1G89bkpA1HbtRGo3lrctKGIzdqo9G8NTlpw5EbtdFo3pqctOHIjdpoNG9NTtpw5EZtNJq3JidtOHKjNhrNW5OTNhy5URuN5q3JSRuO3KiNRvPW5KQNR27URqN5a3LShiM3aqPRvDU5acORG7XRaN6anLThyI3aaDRvTU7acORGbTSatyYnbThyozYazVuTkzYcuVEbjeatyUkbjtyojUbz1uSkDUdu1EajeWty0oYjN2qj0bw1OWnDkRu10Wjempy04ciN2mg0b01O2nDkRm00mrcmJ204cqM2Gs1bk5M2HLlRG43mrclJG47cqI1G89bkpA1HbtRGo3lrctKGIzdqo9G8NTlpw5EbtdFo3pqctOHIjdpoNG9NTtpw5EZtNJq3JidtOHKjNhrNW5OTNhy5URuN5q3JSRuO3KiNRvPW5KQNR27URqN5a3LShiM3aqPRvDU5acORG7XRaN6anLThyI3aaDRvTU7acORGbTSav8/39/vzD63NKXI="
 },
 "strategy 4": {
  "with": "inflateSync",
  "data": "eAEryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 },
 "two members": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAA8vPS1UAAElhrCMEAAAAH4sIAAAAAAAAAyspzwcAZorKEQMAAAA="
 },
 "zeros behind": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAA8vPS1UAAElhrCMEAAAAAAAAAAA="
 },
 "more behind": {
  "with": "inflateSync",
  "data": "eJzLz0tVAAAD9AFjcmVzdA=="
 },
 "a dictionary": {
  "with": "inflateSync",
  "data": "eLsu6QXTK8lIVShEFVIYFRsVGxWDiJ1beXjP4Y0Arc0pcg==",
  "dictionary": "quick brown fox"
 },
 "a raw dictionary": {
  "with": "inflateRawSync",
  "data": "K8lIVShEFVIYFRsVGxWDiJ1beXjP4Y0A",
  "dictionary": "quick brown fox"
 },
 "brotli 0": {
  "with": "brotliDecompressSync",
  "data": "i5IBAICqqqrq/3Tl81kEREAEBEAEREAUVI9XP/o9bn6P/7vq33Nvdc+oLm9juCteLCwsbGys6mVGdfDhw4/BYDCOM1lVg8FgMBgM5lBnRCpKo3BYaCfZe4IvrQn6OAdo6ia0Hq7/SsxN/j+/v993"
 },
 "brotli 5": {
  "with": "brotliDecompressSync",
  "data": "GyUDAMTOlurlbGMSm9mIVdS/6Z+jyFJgUZlUxnnGQOFlEG94/ty7BQ=="
 },
 "brotli 11": {
  "with": "brotliDecompressSync",
  "data": "GyUD+J0JdqyTgcH6PF4O04E0XmosrzJzLrS3HmQSWUqTI2zTkVsgujYmSS0="
 },
 "zstd 1": {
  "with": "zstdDecompressSync",
  "data": "KLUv/WAmAg0BANB0aGUgcXVpY2sgYnJvd24gZm94IM6pw7zDsQEAEl41mQ=="
 },
 "zstd 3": {
  "with": "zstdDecompressSync",
  "data": "KLUv/WAmAg0BANB0aGUgcXVpY2sgYnJvd24gZm94IM6pw7zDsQEAEl41mQ=="
 },
 "zstd 9": {
  "with": "zstdDecompressSync",
  "data": "KLUv/WAmAg0BANB0aGUgcXVpY2sgYnJvd24gZm94IM6pw7zDsQEAEl41mQ=="
 },
 "unzip of gzip": {
  "with": "unzipSync",
  "data": "H4sIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgMAAA=="
 },
 "unzip of deflate": {
  "with": "unzipSync",
  "data": "eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 }
};
export const WRONG = {
 "gzip cut": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwA=="
 },
 "gzip header": {
  "with": "gunzipSync",
  "data": "4IsIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgMAAA=="
 },
 "gzip method": {
  "with": "gunzipSync",
  "data": "H4v3AAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgMAAA=="
 },
 "gzip checksum": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwCNqJgMAAA=="
 },
 "gzip length": {
  "with": "gunzipSync",
  "data": "H4sIAAAAAAAAAyvJSFUoLM1MzlZIKsovz1NIy69QKBkVGxUbFQOLnVt5eM/hjQARwNxqJgP/AA=="
 },
 "deflate cut": {
  "with": "inflateSync",
  "data": "eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Q=="
 },
 "deflate header": {
  "with": "inflateSync",
  "data": "h5wryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 },
 "deflate check": {
  "with": "inflateSync",
  "data": "eJwryUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pjQ=="
 },
 "deflate block": {
  "with": "inflateSync",
  "data": "eJzUyUhVKCzNTM5WSCrKL89TSMuvUCgZFRsVGxUDi51beXjP4Y0Arc0pcg=="
 },
 "raw cut": {
  "with": "inflateRawSync",
  "data": "K8lIVSgszUzOVkgqyi/PU0jLr1AoGRUbFRsVA4udW3l4zw=="
 },
 "raw block": {
  "with": "inflateRawSync",
  "data": "BwECAw=="
 },
 "raw stored": {
  "with": "inflateRawSync",
  "data": "AQECAwQ="
 },
 "no dictionary": {
  "with": "inflateSync",
  "data": "eLsu6QXTK8lIVShEFVIYFRsVGxWDiJ1beXjP4Y0Arc0pcg=="
 },
 "brotli cut": {
  "with": "brotliDecompressSync",
  "data": "GyUD+J0JdqyTgcH6PF4O04E0XmosrzJzLrS3HmQSWUqTI2zTkVsgug=="
 },
 "brotli": {
  "with": "brotliDecompressSync",
  "data": "d3JvbmcgZGF0YSBvZiBicm90bGk="
 },
 "zstd cut": {
  "with": "zstdDecompressSync",
  "data": "KLUv/WAmAg0BANB0aGUgcXVpY2sgYnJvd24gZm94IM6pw7zDsQEA"
 },
 "zstd": {
  "with": "zstdDecompressSync",
  "data": "d3JvbmcgZGF0YSBvZiB6c3Rk"
 }
};
