//! How long a canvas of 10 MB and 50,000 cells takes to read, check, write and append to.
//! `cargo run --release -p arena --example speed`

use std::time::Instant;

use arena::{ARENA, Growing, check, read, write};

fn main() {
    let cells = 50_000;
    let piece = |number: usize| {
        let (kind, originator) = if number.is_multiple_of(2) {
            ("EXEC", "User")
        } else {
            ("OUTPUT", "Arena")
        };
        format!(
            "  <Cell originator=\"{originator}\" seq=\"{}\" type=\"{kind}\">\n    <depends_on><cell originator=\"User\" seq=\"{}\"/></depends_on>\n    <value>if a < {number} && b:\n{}</value>\n  </Cell>\n",
            number / 2,
            (number / 2).saturating_sub(1),
            "    print(f\"</value> {x}\")\n".repeat(2)
        )
    };
    let text = format!(
        "<Canvas>\n{}</Canvas>\n",
        (0..cells).map(piece).collect::<String>()
    );
    let begun = Instant::now();
    let reading = read(&text, ARENA);
    println!("read {} bytes, {cells} cells: {:?}", text.len(), begun.elapsed());
    let begun = Instant::now();
    println!(
        "check: {} diagnostics, {:?}",
        check(&reading).len(),
        begun.elapsed()
    );
    let begun = Instant::now();
    let written = write(&reading.document);
    println!("write {} bytes: {:?}", written.len(), begun.elapsed());
    let mut growing = Growing::new(ARENA);
    growing.append("<Canvas>\n");
    for round in 0..5 {
        let begun = Instant::now();
        for number in round * 10_000..(round + 1) * 10_000 {
            growing.append(&piece(number));
        }
        println!(
            "append cells {}..: {:?} each",
            round * 10_000,
            begun.elapsed() / 10_000
        );
    }
}
