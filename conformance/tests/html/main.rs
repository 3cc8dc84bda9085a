//! The HTML report: nothing that a candidate says gets out of its place, and in a browser it does what it promises.

mod driver;
mod sample;

use std::path::Path;
use std::time::{Duration, Instant};

use anet_conformance::report::{Format, Report};
use serde_json::{Value, json};

use driver::Browser;
use sample::{CASES, FAILURES, HOSTILE, WARNINGS, id};

fn rendered(report: &Report) -> String {
    String::from_utf8(Format::Html.render(report)).expect("a page is UTF-8")
}

/// The page without style and script, which are the kit's own.
fn without_own_code(page: &str) -> String {
    let mut rest = page.to_owned();
    for (from, to) in [("<style>", "</style>"), ("<script>", "</script>")] {
        let start = rest.find(from).expect("it is there");
        let end = rest.find(to).expect("it ends");
        rest.replace_range(start..end + to.len(), "");
    }
    rest
}

#[test]
fn nothing_hostile_gets_out_of_its_place() {
    let page = rendered(&sample::report());
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    let rest = without_own_code(&page);
    for markup in ["<img", "<svg onload", "<script", "<!--", "<h1>Conformant", "http:", "https:"] {
        assert!(!rest.contains(markup), "{markup} is in the page");
    }
    for tag in rest.split('<').skip(1).filter_map(|piece| piece.split_once('>')).map(|(tag, _)| tag) {
        for attribute in [" src=", " style=", " onerror=", " onload=", " onclick="] {
            assert!(!tag.contains(attribute), "{attribute} is in <{tag}>");
        }
    }
    assert!(rest.contains("&lt;/script&gt;&lt;img src=x onerror"), "the words themselves are shown");
    let unseen = rest.chars().find(|c| {
        (c.is_control() && *c != '\n')
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    });
    assert_eq!(unseen, None, "an unseen character is in the page");
    assert!(rest.contains("\\u{202e}reversed"), "it is made visible");
}

#[test]
fn every_element_is_closed_where_it_was_opened() {
    const VOID: [&str; 3] = ["meta", "link", "input"];
    let rest = without_own_code(&rendered(&sample::report()));
    let mut open: Vec<&str> = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    for tag in rest.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        let name = tag.split([' ', '\n']).next().unwrap_or_default();
        if let Some(name) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{open:?}");
        } else if !name.starts_with('!') && !VOID.contains(&name) {
            open.push(name);
        }
        if let Some((_, id)) = tag.split_once(" id=\"") {
            let id = id.split('"').next().unwrap_or_default();
            assert!(ids.insert(id.to_owned()), "the id {id} is there twice");
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    for link in rest.split(" href=\"#").skip(1) {
        let target = link.split('"').next().unwrap_or_default();
        assert!(
            ids.contains(target) || target == "c-exchange/audit/c0900",
            "a link leads to #{target}, which is not there"
        );
    }
    for number in 0..CASES {
        assert!(ids.contains(&format!("c-{}", id(number))), "{} has no place", id(number));
    }
}

#[test]
fn a_bad_run_is_a_small_file_and_written_at_once() {
    let report = sample::report();
    let start = Instant::now();
    let page = rendered(&report);
    let took = start.elapsed();
    eprintln!("{} bytes in {took:?}", page.len());
    assert!(page.len() < 5 << 20, "{} bytes", page.len());
    // A second is the aim; the bound is for a machine that is busy with other tests.
    assert!(took < Duration::from_secs(4), "{took:?}");
}

#[test]
fn the_worst_run_of_all_is_told_within_bounds() {
    let mut report = sample::report();
    for case in &mut report.results {
        case.verdict = anet_conformance::verdict::Verdict::Fail;
        case.transcript = (0..60)
            .map(|index| anet_conformance::report::Moment {
                at_us: index,
                who: anet_conformance::report::Who::Server,
                text: "\"".repeat(5000),
            })
            .collect();
    }
    let page = rendered(&report);
    assert!(page.len() < 12 << 20, "{} bytes", page.len());
    assert!(page.contains("there is no room on this page"));
}

#[test]
fn a_report_of_nothing_is_a_page() {
    let mut report = sample::report();
    report.results.clear();
    report.baseline.clear();
    report.stopped = None;
    report.candidate.server = None;
    report.settle();
    let page = rendered(&report);
    for words in ["Conformant", "a server that gives no name", "No case about arguments was judged"] {
        assert!(page.contains(words), "{words}");
    }
}

/// Contrast of every text with what is behind it, as WCAG 2 counts it; the elements below 4.5.
const CONTRAST: &str = r"
  const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const low = new Set();
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (element.closest('script, svg') || element.offsetParent === null) continue;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) low.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
  }
  return [...low];
";

/// How many cases the page shows at the moment, whether or not what holds them is open.
const SHOWN: &str = "return [...document.querySelectorAll('[data-v]')].filter((e) => !e.hidden).length";

#[test]
fn in_a_browser_it_does_what_it_promises() {
    let Some(browser) = Browser::start() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("report.html");
    std::fs::write(&file, rendered(&sample::report())).expect("written");
    let address = format!("file://{}", file.display());

    browser.look(1200, 900, "light");
    browser.open(&address);
    harmless(&browser);
    filters(&browser);
    links(&browser, &address);
    looks(&browser, &address);
    without_script(&browser, &address);
    let said = browser.console();
    assert!(said.is_empty(), "the console says {said:?}");
}

/// What a candidate said is there as text, has run nothing, and asked nobody for anything.
fn harmless(browser: &Browser) {
    assert_eq!(browser.run("return typeof window.harmed"), "undefined");
    assert_eq!(
        browser.run("return document.querySelectorAll('img, iframe, object, embed, [onload], [onerror]').length"),
        0
    );
    assert_eq!(browser.run("return document.scripts.length"), 1);
    assert_eq!(browser.run("return document.querySelectorAll('h1').length"), 1);
    assert_eq!(browser.run("return performance.getEntriesByType('resource').length"), 0);
    let text = browser.run("return document.body.textContent");
    let text = text.as_str().expect("a text");
    for hostile in &HOSTILE[..6] {
        assert!(text.contains(hostile), "{hostile} is not shown");
    }
    // Should the escaping ever fail, the policy holds: neither handlers nor scripts that are put in later run.
    browser.run(
        "const e = document.createElement('div'); e.id = 'put-in'; \
         e.innerHTML = '<img src=x onerror=\"window.harmed=1\"><b onclick=\"window.harmed=2\">b</b>'; document.body.append(e); \
         const s = document.createElement('script'); s.textContent = 'window.harmed=3'; e.append(s); e.querySelector('b').click();",
    );
    assert_eq!(browser.run("return typeof window.harmed"), "undefined");
    browser.run("document.getElementById('put-in').remove()");
    let said = browser.console();
    assert!(!said.is_empty() && said.iter().all(|line| line.contains("Content Security Policy")), "{said:?}");
}

fn filters(browser: &Browser) {
    assert_eq!(browser.run("return document.getElementById('filters').hidden"), false);
    assert_eq!(browser.run(SHOWN), CASES);
    browser.type_into("#filters [name=v]", "warn");
    assert_eq!(browser.run(SHOWN), WARNINGS);
    browser.type_into("#filters [name=t]", "audit");
    assert_eq!(browser.run(SHOWN), WARNINGS / 4);
    assert_eq!(browser.run("return location.hash"), "#?v=warn&t=audit");
    let number = browser.run("return document.querySelector('#warnings h2 .n').textContent");
    assert_eq!(number, format!("{} of {WARNINGS}", WARNINGS / 4));
    let groups = browser.run("return [...document.querySelectorAll('#failures [data-group]')].every((e) => e.hidden)");
    assert_eq!(groups, true, "a cause without a case is hidden");
    let words = browser.run("return document.getElementById('matches').textContent");
    assert!(words.as_str().is_some_and(|words| words.starts_with("15 of 2100 cases")), "{words}");

    // Text, with several words, in any case; what it finds in a closed list is opened.
    browser.click("#clear");
    assert_eq!(browser.run(SHOWN), CASES);
    assert_eq!(browser.run("return location.hash"), "");
    browser.type_into("#filters [name=q]", "C1234 exchange");
    assert_eq!(browser.run(SHOWN), 1);
    assert_eq!(browser.run("return document.querySelectorAll('details.list[open]').length"), 1);
    browser.click("#clear");
    assert_eq!(browser.run("return document.querySelectorAll('details.list[open]').length"), 0);

    // All that the filter leaves are opened, and closed again.
    browser.type_into("#filters [name=v]", "fail");
    browser.click("#expand");
    assert_eq!(browser.run("return document.querySelectorAll('details.case[open]').length"), FAILURES);
    browser.click("#expand");
    assert_eq!(browser.run("return document.querySelectorAll('details.case[open]').length"), 0);
    browser.click("#clear");
    for (name, value, number) in [("g", "arguments", 50), ("l", "observe", 1)] {
        browser.type_into(&format!("#filters [name={name}]"), value);
        assert_eq!(browser.run(SHOWN), number, "{name}={value}");
        browser.click("#clear");
    }
}

/// Whether the case at a link is open, and in the window.
fn is_open(browser: &Browser, case: &str) -> bool {
    let script = format!(
        "const e = document.getElementById('c-{case}'); const r = e.getBoundingClientRect(); \
         return e.checkVisibility() && r.bottom > 0 && r.top < innerHeight \
           && [...(function* () {{ for (let d = e.closest('details'); d; d = d.parentElement.closest('details')) yield d.open; }})()].every(Boolean)"
    );
    // A jump may take a frame.
    (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        browser.run(&script) == true
    })
}

fn links(browser: &Browser, address: &str) {
    // A failure, a warning, a case in a closed list, one in a closed list with a transcript, one of the matrix.
    for number in [17, 230, 1500, 400, 200] {
        browser.open(&format!("{address}#c-{}", id(number)));
        assert!(is_open(browser, &id(number)), "{} was not opened", id(number));
    }
    let open = "return document.querySelectorAll('details.case[open]').length";
    browser.open(&format!("{address}#c-{}", id(17)));
    assert_eq!(browser.run(open), 1, "only that one");

    // A filter in the address; a link to a case that it hides takes it away.
    browser.open(&format!("{address}#?v=fail&t=audit&q=c0002"));
    assert_eq!(browser.run(SHOWN), 1);
    assert_eq!(browser.run("return document.querySelector('[name=t]').value"), "audit");
    let dimmed = browser.run("return document.querySelectorAll('a.cell.off').length");
    assert!(dimmed.as_u64().is_some_and(|number| number > 40), "{dimmed}");
    browser.click(&format!("a.cell[href=\"#c-{}\"]", id(225)));
    assert!(is_open(browser, &id(225)));
    assert_eq!(browser.run(SHOWN), CASES);
    browser.run("history.back()");
    let back = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        browser.run(SHOWN) == 1
    });
    assert!(back, "back is to the filter");

    // What no option offers, and what is no address at all, is nothing.
    browser.open(&format!("{address}#?v=%3Cimg%3E"));
    assert_eq!(browser.run(SHOWN), CASES);
    browser.open(&format!("{address}#%E0%A4%A"));
    assert_eq!(browser.run(SHOWN), CASES);
}

/// Light and dark, wide and narrow; with pictures where somebody asks for them.
fn looks(browser: &Browser, address: &str) {
    let pictures = std::env::var_os("ANET_PICTURES");
    for (width, height, scheme) in [(1200, 900, "light"), (1200, 900, "dark"), (390, 844, "light"), (360, 740, "dark")]
    {
        browser.look(width, height, scheme);
        browser.open(&format!("{address}#c-{}", id(3)));
        assert!(is_open(browser, &id(3)));
        let wide = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(wide, 0, "the page is wider than {width}");
        browser.run("for (const e of document.querySelectorAll('details:not(.case)')) e.open = true");
        let low = browser.run(CONTRAST);
        assert_eq!(low, json!([]), "{width} {scheme}: too little contrast");
        if let Some(directory) = &pictures {
            for (index, place) in ["", "#failures", "#matrix", "#requirements", "#others"].iter().enumerate() {
                browser.open(&format!("{address}{place}"));
                browser.picture(&Path::new(directory).join(format!("{width}-{scheme}-{index}.png")));
            }
        }
    }
    // Everything that can be used can be reached by the keyboard, and has a name.
    let nameless = browser.run(
        "return [...document.querySelectorAll('a, button, input, select, [tabindex]')] \
           .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.labels?.length)).length",
    );
    assert_eq!(nameless, 0);
}

/// Without the script everything is there, and a link still opens its case.
fn without_script(browser: &Browser, address: &str) {
    browser.look(1200, 900, "light");
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.open(&format!("{address}#c-{}", id(17)));
    // The browser's own scripts run all the same; they see what its parser and its own jump have made.
    assert!(is_open(browser, &id(17)), "the browser opens what hides the place of a link");
    assert_eq!(browser.run("return document.getElementById('filters').checkVisibility()"), Value::Bool(false));
    browser.devtools("Emulation.setScriptExecutionDisabled", &json!({"value": false}));
}
