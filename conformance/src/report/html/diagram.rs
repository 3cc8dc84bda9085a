//! A case as a sequence diagram: three lifelines, an arrow a message, a note for what became of the process.

use maud::{Markup, html};

use super::transcript::{at, chosen};
use super::{count, text};
use crate::json::Json;
use crate::report::model::{Moment, Who};

const CLIENT: usize = 150;
const SERVER: usize = 420;
const DAEMON: usize = 690;
const WIDTH: usize = 760;
/// The height of a moment.
const ROW: usize = 30;
/// Where the first moment begins.
const TOP: usize = 40;
/// A label has so many characters at most; between two lifelines there is no room for more.
const LABEL: usize = 42;

/// What stands in a row.
enum Row<'m> {
    Said(&'m Moment),
    LeftOut(usize),
}

/// The diagram.
pub(super) fn diagram(moments: &[Moment]) -> Markup {
    let (head, left_out, tail) = chosen(moments);
    let mut rows: Vec<_> = head.iter().map(Row::Said).collect();
    if left_out > 0 {
        rows.push(Row::LeftOut(left_out));
    }
    rows.extend(tail.iter().map(Row::Said));
    let height = TOP + ROW * rows.len() + 14;
    html! {
        div.scroll tabindex="0" role="region" aria-label="Sequence diagram" {
            svg.sequence viewBox={ "0 0 " (WIDTH) " " (height) } role="img"
                aria-label="Who said what to whom, in order; the transcripts below have the same in words" {
                @for (x, name) in [(CLIENT, "client"), (SERVER, "server"), (DAEMON, "daemon")] {
                    line.life x1=(x) y1="26" x2=(x) y2=(height - 6) {}
                    rect.head x=(x - 42) y="4" width="84" height="22" rx="4" {}
                    text.name x=(x) y="19" { (name) }
                }
                @for (index, row) in rows.iter().enumerate() { (draw(row, TOP + ROW * index)) }
            }
        }
    }
}

fn draw(row: &Row, y: usize) -> Markup {
    let moment = match row {
        Row::LeftOut(number) => return note(y, &format!("{} left out", count(*number, "moment", "moments")), "gap"),
        Row::Said(moment) => moment,
    };
    let label = text(&label(moment), LABEL);
    let (from, to) = match moment.who {
        Who::Client => (CLIENT, SERVER),
        Who::Server => (SERVER, CLIENT),
        Who::ToDaemon => (SERVER, DAEMON),
        Who::FromDaemon => (DAEMON, SERVER),
        Who::Process => {
            return html! { (time(moment, y + 16)) (note(y, &label, "note")) };
        }
    };
    // The head of the arrow points to the right or to the left.
    let tip = if to > from { (to - 8, to - 1) } else { (to + 8, to + 1) };
    let line = y + 20;
    html! {
        (time(moment, line + 4))
        text.label x=(usize::midpoint(from, to)) y=(line - 5) { (label) }
        line.arrow x1=(from) y1=(line) x2=(tip.0) y2=(line) {}
        path.tip d={ "M" (tip.1) " " (line) "L" (tip.0) " " (line - 4) "V" (line + 4) "Z" } {}
    }
}

fn time(moment: &Moment, y: usize) -> Markup {
    html! { text.time x="86" y=(y) { (at(moment)) } }
}

fn note(y: usize, words: &str, class: &str) -> Markup {
    html! {
        rect.(class) x=(SERVER - 140) y=(y + 4) width="280" height="22" rx="4" {}
        text.label x=(SERVER) y=(y + 19) { (words) }
    }
}

/// A moment in a few words: the method or the kind of answer, and to which message it belongs.
fn label(moment: &Moment) -> String {
    match moment.who {
        Who::Client | Who::Server => message(&moment.text).unwrap_or_else(|| one_line(&moment.text)),
        Who::ToDaemon => one_line(moment.text.split(" {").next().unwrap_or_default()),
        Who::FromDaemon => match moment.text.split_once(' ') {
            Some((status, body)) if status.len() == 3 && status.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("{status}, {}", count(body.len(), "byte", "bytes"))
            }
            _ => one_line(&moment.text),
        },
        Who::Process => one_line(&moment.text),
    }
}

/// A JSON-RPC message in a few words; none if the text is no such message.
fn message(text: &str) -> Option<String> {
    let json = Json::parse(text).ok()?;
    let id = json.member("id").map(|id| format!(" #{id}")).unwrap_or_default();
    if let Some(method) = json.member("method").and_then(Json::as_str) {
        let named =
            json.at(&["params", "name"]).and_then(Json::as_str).map(|name| format!(" {name}")).unwrap_or_default();
        return Some(format!("{method}{named}{id}"));
    }
    if let Some(code) = json.at(&["error", "code"]) {
        return Some(format!("error {code}{id}"));
    }
    let result = json.member("result")?;
    let refused = result.member("isError").and_then(Json::as_bool) == Some(true);
    Some(if refused { format!("result with isError{id}") } else { format!("result{id}") })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::{diagram, label};
    use crate::report::model::{Moment, Who};

    fn moment(who: Who, text: &str) -> Moment {
        Moment { at_us: 1500, who, text: text.to_owned() }
    }

    #[test]
    fn labels_say_what_kind_of_message_it_is() {
        let table = [
            (Who::Client, r#"{"id":2,"method":"tools/call","params":{"name":"audit"}}"#, "tools/call audit #2"),
            (Who::Client, r#"{"method":"notifications/initialized"}"#, "notifications/initialized"),
            (Who::Server, r#"{"id":"a","result":{"isError":true}}"#, r#"result with isError #"a""#),
            (Who::Server, r#"{"id":2,"error":{"code":-32602}}"#, "error -32602 #2"),
            (Who::Server, "no  JSON\nat all", "no JSON at all"),
            (Who::ToDaemon, r#"POST /tasks/send {"a": 1}"#, "POST /tasks/send"),
            (Who::FromDaemon, "200 {}", "200, 2 bytes"),
            (Who::FromDaemon, "the caller hung up", "the caller hung up"),
        ];
        for (who, text, expected) in table {
            assert_eq!(label(&moment(who, text)), expected);
        }
    }

    #[test]
    fn a_long_case_is_cut_and_says_so() {
        let moments: Vec<_> = (0..500).map(|_| moment(Who::Client, "x")).collect();
        let drawn = diagram(&moments).into_string();
        assert!(drawn.contains("460 moments left out"));
        assert_eq!(drawn.matches("class=\"arrow\"").count(), 40);
    }
}
