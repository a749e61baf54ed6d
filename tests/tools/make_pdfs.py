"""Makes tests/tools/pdfs: what pdf-reader is tried on.

Run once, by hand, when a case is added: python3 make_pdfs.py (wants reportlab). The files are
committed, so that the tests need neither Python nor that package.
"""

import pathlib

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas

HERE = pathlib.Path(__file__).parent / "pdfs"
HERE.mkdir(exist_ok=True)
pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))

page = canvas.Canvas(str(HERE / "report.pdf"), pagesize=(600, 800), invariant=1)
page.setTitle("季度报告")
page.setAuthor("Ann")
page.setFont("Helvetica", 24)
page.drawString(72, 740, "Quarterly report")
page.setFont("Helvetica", 12)
for n in range(6):
    page.drawString(72, 680 - n * 16, f"Line {n + 1} of the first page.")
page.bookmarkPage("one")
page.addOutlineEntry("Beginning", "one", 0)
page.showPage()
page.setFont("STSong-Light", 14)
page.drawString(72, 740, "第二页：中文的内容")
page.showPage()
page.setFillColorRGB(0.2, 0.4, 0.9)
page.rect(0, 0, 600, 400, fill=1, stroke=0)
page.save()

locked = canvas.Canvas(str(HERE / "locked.pdf"), invariant=1, encrypt=StandardEncryption("open", canPrint=0))
locked.drawString(72, 700, "Behind a password")
locked.save()

whole = (HERE / "report.pdf").read_bytes()
(HERE / "damaged.pdf").write_bytes(whole[:40] + b"\0" * 200)
(HERE / "text.pdf").write_bytes(b"not a pdf\n")
