"""Makes tests/tools/files: what file-reader is tried on, ordinary files and hostile ones.

Run once, by hand, when a case is added: python3 make_files.py (wants python-docx and openpyxl).
The files are committed, so that the tests need neither Python nor these packages.
"""

import datetime
import gzip
import io
import pathlib
import struct
import tarfile
import zipfile
import zlib

import docx
import openpyxl

HERE = pathlib.Path(__file__).parent / "files"
EPOCH = (2020, 1, 2, 3, 4, 6)


def put(name, data):
    (HERE / name).write_bytes(data)


def texts():
    chinese = "名称,数量\n苹果,3\n香蕉，进口,5\n这是一个用来测试编码的文件，里面有中文。\n"
    put("gbk.txt", chinese.encode("gbk"))
    put("big5.txt", "這是一個測試檔案，裡面有中文。我們用它來看編碼對不對。\n".encode("big5"))
    put("sjis.txt", "これはテストのファイルです。日本語の文字が入っています。カタカナもあります。\n".encode("shift_jis"))
    put("eucjp.txt", "これはテストのファイルです。日本語の文字が入っています。\n".encode("euc-jp"))
    put("euckr.txt", "이것은 시험 파일입니다. 한국어 글자가 들어 있습니다.\n".encode("euc-kr"))
    put("cp1251.txt", "Это проверочный файл, в нём русские буквы.\n".encode("cp1251"))
    put("koi8.txt", "Это проверочный файл, в нём русские буквы.\n".encode("koi8-r"))
    put("latin1.txt", "Où est le café ? Schöne Grüße für Señor Núñez.\n".encode("latin-1"))
    put("utf16le.txt", "\ufeff标题 title\nline 2\n".encode("utf-16-le"))
    put("utf16be-plain.txt", "only plain words here\nand a second line\n".encode("utf-16-be"))
    put("utf8bom.txt", "\ufeff第一行\n".encode())
    put("bm.txt", "BMI 的计算方法和说明\n".encode())
    put("pk.txt", "PK 赛的规则，文字也会这样开头\n".encode())
    put("wide-line.txt", f"第一行很短\n{'一行很长的文字。' * 40}\n最后一行\n".encode())
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    header = struct.pack(">IIBBBBB", 30000, 30000, 8, 2, 0, 0, 0)
    put("huge.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b""))
    put("binary.dat", bytes(range(256)) * 8)
    put("lines.txt", "".join(f"line {n}\n" for n in range(1, 1001)).encode())


def formats():
    put("data.json", '{"items": [{"name": "钉子", "n": 3}, {"name": "a/b"}], "a/b": {"~": 1}}'.encode())
    put("broken.json", b'{"a": [1, 2,}\n')
    put("data.yaml", "server: &s\n  port: 8080\n  hosts: [a, b]\ncopy:\n  <<: *s\n  port: 9\ntext: |\n  一\n  二\n".encode())
    bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for n in range(1, 10):
        bomb += f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n"
    put("bomb.yaml", bomb.encode())
    put("table.csv", '编号;说明\n1;"一;二"\n2;"说""是""\n第二行"\n3;\n'.encode("gbk"))
    put("page.xml", '<?xml version="1.0" encoding="GBK"?>\n<root a="1"><p>中文内容在这里</p></root>\n'.encode("gbk"))
    put("broken.xml", b"<a><b></a>\n")
    laughs = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>\n<l>&b;&x;</l>\n'
    put("laughs.xml", laughs.encode())


def word():
    document = docx.Document()
    document.core_properties.title = "周报"
    document.core_properties.author = "小明"
    document.add_heading("第一章 开始", 1)
    paragraph = document.add_paragraph("普通的文字，")
    paragraph.add_run("重要").bold = True
    paragraph.add_run("和")
    paragraph.add_run("强调").italic = True
    document.add_paragraph("买牛奶", style="List Bullet")
    document.add_paragraph("写周报", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for at, text in enumerate(["名称", "数量", "a|b", "3"]):
        table.cell(at // 2, at % 2).text = text
    document.add_heading("Second", 2)
    out = io.BytesIO()
    document.save(out)
    put("report.docx", out.getvalue())


def excel():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "销售"
    sheet.append(["日期", "金额", "说明", "完成"])
    sheet.append([datetime.date(2024, 2, 29), 12.5, "退款", True])
    sheet.append([datetime.datetime(2024, 3, 1, 18, 30), -3, None, False])
    sheet["F5"] = "远"
    sheet["B7"] = "=SUM(B2:B3)"
    other = book.create_sheet("Other")
    other.append(["x"])
    book.create_sheet("藏").sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    put("book.xlsx", out.getvalue())


def picture():
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(bytes([x * 6, y * 12, 128]) for x in range(40)) for y in range(20))
    head = struct.pack(">IIBBBBB", 40, 20, 8, 2, 0, 0, 0)
    put("dot.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def zipped(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, method, 9)
    return out.getvalue()


def archives():
    put("some.zip", zipped([("a.txt", "in a zip\n"), ("dir/b.json", '{"b": 2}'), ("../up.txt", "up\n")]))
    # As Chinese Windows writes it: the name in GBK, and no flag that says so.
    plain = zipped([("AAAA.txt", "gbk name\n")]).replace(b"AAAA.txt", "中文".encode("gbk") + b".txt")
    put("gbkname.zip", plain)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in [("top/readme.md", "# 读我\n"), ("top/" + "很长的名字" * 30 + ".txt", "long\n")]:
            info = tarfile.TarInfo(name)
            info.size = len(data.encode())
            archive.addfile(info, io.BytesIO(data.encode()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    put("some.tar.gz", gzip.compress(out.getvalue(), 9, mtime=0))
    put("one.txt.gz", gzip.compress("只有一个文件\n".encode(), 9, mtime=0))


def hostile():
    zeros = b"\0" * (40 << 20)
    put("bomb.zip", zipped([("zeros", zeros)]))
    put("bomb.docx", zipped([("word/document.xml", b"<a>" + b" " * (40 << 20) + b"</a>")]))
    put("bomb.xlsx", zipped([("xl/workbook.xml", "<workbook/>"), ("xl/sharedStrings.xml", b"<sst>" + b" " * (40 << 20))]))
    # It says that it is small.
    liar = bytearray(zipped([("zeros", zeros)]))
    for mark, at in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)]:
        struct.pack_into("<I", liar, liar.index(mark) + at, 10)
    put("liar.zip", bytes(liar))
    put("bomb.gz", gzip.compress(b"\0" * (80 << 20), 9, mtime=0))
    put("cut.zip", zipped([("a.txt", "x" * 100)])[:-30])
    changed = bytearray(zipped([("a.txt", b"stored text")], zipfile.ZIP_STORED))
    changed[changed.index(b"stored")] ^= 1
    put("changed.zip", bytes(changed))
    many = zipped([("a", "")])
    end = many.index(b"PK\x05\x06")
    put("many.zip", many[: end + 10] + struct.pack("<H", 65000) + many[end + 12 :])
    locked = bytearray(zipped([("secret.txt", "x")]))
    for mark, at in [(b"PK\x03\x04", 6), (b"PK\x01\x02", 8)]:
        locked[locked.index(mark) + at] |= 1
    put("locked.zip", bytes(locked))
    cell = '<worksheet><sheetData><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
    rels = '<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>'
    book = '<workbook><sheets><sheet name="far" r:id="r1"/></sheets></workbook>'
    put("far.xlsx", zipped([("xl/workbook.xml", book), ("xl/_rels/workbook.xml.rels", rels), ("xl/worksheets/sheet1.xml", cell)]))
    deep = "<a>" * 5000
    put("deep.xml", deep.encode())


HERE.mkdir(exist_ok=True)
for make in [texts, formats, word, excel, picture, archives, hostile]:
    make()
