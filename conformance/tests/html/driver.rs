//! A headless Chromium, driven through `ChromeDriver` by the few `WebDriver` commands that the tests need.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A browser with one window. Ends with the value.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// The profile; gone with the browser.
    profile: tempfile::TempDir,
}

impl Browser {
    /// Started, or none where Chromium or its driver is not installed, which is said loudly.
    pub(crate) fn start() -> Option<Self> {
        let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
        let Some(chromium) = chromium.into_iter().find(|path| Path::new(path).exists()) else {
            eprintln!("SKIPPED: no Chromium is installed, so the report was not tried in a browser");
            return None;
        };
        let driver = Command::new("chromedriver").args(["--port=0", "--silent"]).stdout(Stdio::piped()).spawn();
        let Ok(mut driver) = driver else {
            eprintln!("SKIPPED: chromedriver is not on PATH, so the report was not tried in a browser");
            return None;
        };
        let port = port_of(&mut driver);
        let profile = tempfile::tempdir().expect("a profile");
        let mut browser = Self { driver, port, session: String::new(), profile };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            &format!("--user-data-dir={}", browser.profile.path().display()),
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = browser.ask("POST", "/session", &wanted);
        session["sessionId"].as_str().expect("a session").clone_into(&mut browser.session);
        Some(browser)
    }

    /// Opens an address, from nothing: a mere change of what stands behind `#` would load no page.
    pub(crate) fn open(&self, address: &str) {
        self.command("url", &json!({"url": "about:blank"}));
        self.command("url", &json!({"url": address}));
    }

    /// What a script says, the body of a function.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({"script": script, "args": []}))
    }

    /// Types into an element; into a list of choices, the beginning of one.
    pub(crate) fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command(&format!("element/{element}/value"), &json!({"text": text}));
    }

    /// Clicks on an element.
    pub(crate) fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.command(&format!("element/{element}/click"), &json!({}));
    }

    /// The window as a device of that width, light or dark.
    pub(crate) fn look(&self, width: u32, height: u32, scheme: &str) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}),
        );
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", &json!({"features": features}));
    }

    /// A command of the developer tools' protocol.
    pub(crate) fn devtools(&self, name: &str, parameters: &Value) -> Value {
        self.command("goog/cdp/execute", &json!({"cmd": name, "params": parameters}))
    }

    /// What the console has said since it was last asked.
    pub(crate) fn console(&self) -> Vec<String> {
        let entries = self.command("se/log", &json!({"type": "browser"}));
        entries.as_array().into_iter().flatten().map(ToString::to_string).collect()
    }

    /// Saves a picture of the window.
    pub(crate) fn picture(&self, path: &Path) {
        let shot = self.devtools("Page.captureScreenshot", &json!({"format": "png"}));
        let bytes = STANDARD.decode(shot["data"].as_str().expect("a picture")).expect("base64");
        std::fs::write(path, bytes).expect("the picture can be written");
    }

    fn find(&self, selector: &str) -> String {
        let found = self.command("element", &json!({"using": "css selector", "value": selector}));
        let id = found.as_object().and_then(|element| element.values().next()).and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("{selector}: {found}")).to_owned()
    }

    fn command(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", &format!("/session/{}/{path}", self.session), body)
    }

    /// One request to the driver; its `value`.
    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a bound on waiting");
        let body = body.to_string();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.port,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).expect("the driver takes a request");
        let mut reader = BufReader::new(stream);
        let mut status = String::new();
        reader.read_line(&mut status).expect("an answer");
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a header");
            match line.trim().split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().expect("a length");
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).expect("the whole answer");
        let mut answer: Value = serde_json::from_slice(&answer).expect("the driver answers in JSON");
        assert!(status.contains(" 200 "), "{method} {path} {body}: {answer}");
        answer["value"].take()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Without this the browser would outlive its driver. A test that fails must not fail again in here.
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) {
            let _ = stream.set_read_timeout(Some(Duration::from_secs(10)));
            let _ = write!(stream, "DELETE /session/{} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", self.session);
            let _ = stream.read(&mut [0; 64]);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The port on which the driver says that it listens.
fn port_of(driver: &mut Child) -> u16 {
    let mut out = BufReader::new(driver.stdout.take().expect("stdout is a pipe"));
    let mut line = String::new();
    while out.read_line(&mut line).expect("the driver's output") > 0 {
        if let Some((_, port)) = line.trim().trim_end_matches('.').rsplit_once("on port ")
            && let Ok(port) = port.parse()
        {
            // What it says later has to go somewhere.
            std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
            return port;
        }
        line.clear();
    }
    panic!("chromedriver ended without a port");
}
