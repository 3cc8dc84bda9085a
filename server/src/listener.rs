//! Who listens on the control port: a token is given to a process of this user or to nobody.
//!
//! Responsible for the answer on Linux, from `/proc/net/tcp` and `/proc/net/tcp6`; elsewhere nothing is known. When
//! in doubt the answer is "unknown", so that a daemon of this user is never turned away. Serves section 1.4 and R11.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::home::ControlAddress;

/// `0A` in the state column is a socket that listens.
const LISTEN: &str = "0A";

/// Whether the socket that takes connections for this address certainly belongs to somebody else.
pub(crate) fn is_foreign(address: &ControlAddress) -> bool {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(listening);
    let own = [rustix::process::geteuid().as_raw(), rustix::process::getuid().as_raw()];
    let hosts = match address.ip() {
        Some(ip) => vec![ip],
        None => vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)],
    };
    // For `localhost` either family may be reached: one foreign listener is enough to refuse.
    hosts.into_iter().any(|host| foreign(&tables, host, address.port(), &own))
}

/// The part of a table that lists listening sockets: the kernel puts them first, and the rest can be long.
fn listening(path: &str) -> String {
    let Ok(file) = File::open(path) else {
        return String::new();
    };
    let lines = BufReader::new(file).lines().map_while(Result::ok).enumerate();
    let first = lines.take_while(|(at, line)| *at == 0 || line.split_ascii_whitespace().nth(3) == Some(LISTEN));
    first.map(|(_, line)| line + "\n").collect()
}

/// Of the sockets that would take a connection to `host`, the most exactly bound ones decide.
fn foreign(tables: &[String; 2], host: IpAddr, port: u16, own: &[u32]) -> bool {
    let listeners: Vec<(IpAddr, u32)> =
        tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(|line| listener(line, port)).collect();
    let bound_to = |wanted: &dyn Fn(IpAddr) -> bool| -> Vec<u32> {
        listeners.iter().filter(|(ip, _)| wanted(*ip)).map(|(_, uid)| *uid).collect()
    };
    let mut owners = bound_to(&|ip| canonical(ip) == host);
    if owners.is_empty() {
        owners = bound_to(&|ip| canonical(ip).is_unspecified());
    }
    !owners.is_empty() && !owners.iter().any(|uid| own.contains(uid))
}

fn canonical(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    }
}

/// Reads one line of the table: the local address of a listening socket on this port, and its owner.
fn listener(line: &str, port: u16) -> Option<(IpAddr, u32)> {
    let mut columns = line.split_ascii_whitespace().skip(1);
    let (ip, its_port) = columns.next()?.split_once(':')?;
    if u16::from_str_radix(its_port, 16).ok()? != port || columns.nth(1)? != LISTEN {
        return None;
    }
    let uid = columns.nth(3)?.parse().ok()?;
    Some((parse_ip(ip)?, uid))
}

/// The kernel prints each 32-bit word of an address in the byte order of the machine.
fn parse_ip(hex: &str) -> Option<IpAddr> {
    let mut bytes = Vec::with_capacity(16);
    for at in (0..hex.len()).step_by(8) {
        let word = u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?;
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(IpAddr::from),
        16 => <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

    fn tables(rows: &[(&str, u32)]) -> [String; 2] {
        let line = |(local, uid): &(&str, u32)| {
            format!(
                "   0: {local} 00000000:0000 0A 00000000:00000000 00:00000000 00000000  {uid}        0 1234 1 0000 100 0 0 10 0\n"
            )
        };
        let table = format!("{HEAD}{}", rows.iter().map(line).collect::<String>());
        [table, String::from(HEAD)]
    }

    fn local(ip: [u8; 4], port: u16) -> String {
        format!("{:08X}:{port:04X}", u32::from_ne_bytes(ip))
    }

    #[test]
    fn the_most_exact_binding_decides() {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let exact = local([127, 0, 0, 1], 39811);
        let any = local([0, 0, 0, 0], 39811);
        let check = |rows: &[(&str, u32)]| foreign(&tables(rows), host, 39811, &[1000]);
        assert!(!check(&[]), "nobody listens: the connection will say so");
        assert!(!check(&[(&exact, 1000)]));
        assert!(check(&[(&exact, 1001)]));
        assert!(check(&[(&any, 0)]));
        assert!(check(&[(&exact, 1001), (&any, 1000)]));
        assert!(!check(&[(&exact, 1000), (&any, 1001)]));
        assert!(!check(&[(&exact, 1001), (&exact, 1000)]), "shared port: one of them is ours");
        assert!(!check(&[(&local([127, 0, 0, 1], 39812), 1001)]), "another port");
    }

    #[test]
    fn a_listener_of_this_process_is_not_foreign() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = ControlAddress::parse(&socket.local_addr().unwrap().to_string()).unwrap();
        assert!(!is_foreign(&address));
    }
}
