//! The page for a browser.

use crate::sample::{Folder, counter, lock, race, reason, report, witnessed};
use racelens::report::{AccessKind, Report, html};
use std::sync::Arc;

fn page(folder: &Folder, report: &Report) -> String {
    html::html(report, &folder.base())
}

#[test]
fn a_race_is_shown_with_the_source_of_both_accesses() {
    let (folder, report) = counter();
    let page = page(&folder, &report);
    let race = &report.races[0];
    assert!(page.contains("<h1>1 possible data race</h1>"));
    assert!(page.contains(&format!("<section class=\"race\" id=\"{}\">", race.id)));
    assert!(page.contains(&format!("href=\"#{}\"", race.id)));
    for access in &race.accesses[..2] {
        let expression = access.expression.replace('>', "&gt;");
        assert!(page.contains(&format!("<mark>{expression}</mark>")));
        let name = access.place.path.file_name().unwrap().to_str().unwrap();
        assert!(page.contains(&format!(
            "{name}:{}:{}",
            access.place.line, access.place.column
        )));
    }
}

#[test]
fn locks_ways_and_reasons_are_told() {
    let folder = Folder::new(&[(
        "a.c",
        "int x;\nint f(void) { return x; }\nint g(void) { return ++x; }\n",
    )]);
    let read = folder.access("a.c", "x; }", "x", AccessKind::Read);
    let mut write = folder.access("a.c", "x; }\n", "x", AccessKind::Write);
    write.locks = vec![lock("guard")];
    let mut found = race("0123456789ab", "x", vec![read, write]);
    found.reasons = vec![reason("inferred_guard", "3 of 4 accesses hold `guard`")];
    let page = page(&folder, &report(vec![found]));
    assert!(page.contains("holds no lock"));
    assert!(page.contains("holds <code>guard</code>"));
    assert!(page.contains("3 of 4 accesses hold <code>guard</code>"));
}

#[test]
fn nothing_in_a_name_or_in_a_source_becomes_part_of_the_page() {
    let hostile = "</pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'&";
    let source = format!("int x; // {hostile}\n");
    let folder = Folder::new(&[("a.c", &source)]);
    let mut access = folder.access("a.c", "x;", "x", AccessKind::Write);
    access.expression = hostile.to_owned();
    access.function = hostile.to_owned();
    access.thread.name = hostile.to_owned();
    access.locks = vec![lock(hostile)];
    let mut found = race("0123456789ab", hostile, vec![access.clone(), access]);
    found.reasons = vec![reason(hostile, hostile)];
    witnessed(&mut found);
    let page = page(&folder, &report(vec![found]));
    assert!(!page.contains("<script"), "{page}");
    assert!(!page.contains("<img"), "{page}");
    assert!(page.contains("&lt;script&gt;"));
    // Quotes end no attribute either.
    assert!(!page.contains(hostile.trim_start_matches("</pre>")));
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let (folder, report) = counter();
    let page = page(&folder, &report);
    assert!(page.contains("default-src 'none'"));
    for word in ["src=", "@import", "url(", "<link", "http://", "https://"] {
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn a_file_that_changed_since_is_named_without_its_lines() {
    let (folder, report) = counter();
    let path = &report.races[0].accesses[0].place.path;
    std::fs::write(path, "\n").unwrap();
    let page = page(&folder, &report);
    assert!(page.contains("<p class=\"source\">"));
}

#[test]
fn a_report_without_races_says_so() {
    let folder = Folder::new(&[]);
    let page = page(&folder, &report(Vec::new()));
    assert!(page.contains("<h1>no data race was found</h1>"));
    assert!(!page.contains("<nav"));
}

#[test]
fn an_interleaving_has_a_column_for_each_thread_that_does_something() {
    let (folder, mut report) = counter();
    witnessed(Arc::make_mut(&mut report.races_mut()[0]));
    let page = page(&folder, &report);
    assert!(page.contains("<h1>1 data race</h1>"));
    assert!(page.contains("An interleaving of 3 steps gets there."));
    let columns = "<th scope=\"col\">Step</th><th scope=\"col\">0: <code>main</code></th>\
                   <th scope=\"col\">2: <code>worker</code></th></tr>";
    assert!(page.contains(columns), "{page}");
    let last = "<tr class=\"end\"><td class=\"number\">3</td><td></td><td><code>reads x = 0</code>";
    assert!(page.contains(last), "{page}");
    assert!(page.contains("<code>rand</code> returns 1 in thread 0"));
}
