//! The one line of an operation that touches shared memory, and the members that it needs.

use super::plan::Access;

/// What stands before the access, and the access; `place` is `object->` or the like.
pub struct AccessText {
    pub before: Option<String>,
    pub line: String,
}

pub fn access_text(access: Access, place: &str, seed: u64) -> AccessText {
    let mut before = None;
    let line = match access {
        Access::Increment => format!("{place}value++;"),
        Access::Read => format!("seen += {place}value;"),
        Access::PairLow => format!("{place}pair.low = round;"),
        Access::PairHigh => format!("{place}pair.high += round;"),
        Access::ReadPairLow => format!("seen += {place}pair.low;"),
        Access::WholePair => {
            before = Some(format!("struct p{seed}_pair pair = {{ round, 1 }};"));
            format!("{place}pair = pair;")
        }
        Access::FlagBit => format!("{place}flag = round & 1;"),
        Access::CountBits => format!("{place}count = round & 63;"),
        Access::ReadBits => format!("seen += {place}count;"),
        Access::UnionWhole => format!("{place}cell.whole = 7;"),
        Access::UnionHalf => format!("{place}cell.halves[1] = 5;"),
        Access::ReadUnion => format!("seen += (int){place}cell.whole;"),
        Access::ItemConstant => format!("{place}items[2] = round;"),
        Access::ItemSymbolic => format!("{place}items[round & 3]++;"),
        Access::ReadItem => format!("seen += {place}items[round & 3];"),
        Access::ClearItems => format!("memset({place}items, 0, sizeof {place}items);"),
        Access::FillItems => {
            before = Some("int values[4] = { round, 1, 2, 3 };".into());
            format!("memcpy({place}items, values, sizeof values);")
        }
        Access::CopyItems => {
            before = Some("int copy[4];".into());
            format!("memcpy(copy, {place}items, sizeof copy);")
        }
        Access::AtomicMember => format!("{place}ticks++;"),
        Access::AtomicMemberCall => {
            format!("atomic_fetch_add_explicit(&{place}ticks, 1, memory_order_relaxed);")
        }
        Access::AtomicBuiltin => {
            format!("__atomic_fetch_add(&{place}value, 1, __ATOMIC_RELAXED);")
        }
        Access::AtomicLoad => format!("seen += __atomic_load_n(&{place}value, __ATOMIC_RELAXED);"),
    };
    AccessText { before, line }
}

/// The member whose address a function can be given instead of its object.
pub fn member_of(access: Access) -> Option<&'static str> {
    match access {
        Access::Increment | Access::Read => Some("value"),
        Access::PairLow | Access::ReadPairLow => Some("pair.low"),
        Access::PairHigh => Some("pair.high"),
        Access::ItemConstant => Some("items[2]"),
        Access::ItemSymbolic | Access::ReadItem => Some("items[round & 3]"),
        _ => None,
    }
}

/// The declaration of the member that an access touches.
pub fn declaration(access: Access, seed: u64) -> String {
    match access {
        Access::Increment | Access::Read | Access::AtomicBuiltin | Access::AtomicLoad => {
            "int value;".into()
        }
        Access::PairLow | Access::PairHigh | Access::ReadPairLow | Access::WholePair => {
            format!("struct p{seed}_pair pair;")
        }
        Access::FlagBit | Access::CountBits | Access::ReadBits => {
            "unsigned flag : 1, count : 7;".into()
        }
        Access::UnionWhole | Access::UnionHalf | Access::ReadUnion => {
            "union { unsigned whole; unsigned short halves[2]; } cell;".into()
        }
        Access::ItemConstant
        | Access::ItemSymbolic
        | Access::ReadItem
        | Access::ClearItems
        | Access::FillItems
        | Access::CopyItems => "int items[4];".into(),
        Access::AtomicMember | Access::AtomicMemberCall => "atomic_int ticks;".into(),
    }
}
