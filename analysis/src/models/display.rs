//! Prints models as text, for people and for tests: `acquire arg0 shared rw when zero`.

use super::vocabulary::*;
use std::fmt::{self, Display, Formatter};

/// One effect a line, then what else is special.
impl Display for FunctionModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for effect in &self.effects {
            writeln!(f, "{effect}")?;
        }
        match &self.returns {
            Returns::Unknown => {}
            Returns::Value(value) => writeln!(f, "returns {value}")?,
            Returns::Fresh => writeln!(f, "returns fresh")?,
            Returns::Zero => writeln!(f, "returns zero")?,
        }
        for (present, word) in [
            (self.noreturn, "noreturn"),
            (!self.pure, "not pure"),
            (self.replaces_body, "replaces body"),
        ] {
            if present {
                writeln!(f, "{word}")?;
            }
        }
        Ok(())
    }
}

impl Display for Effect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.action.fmt(f)?;
        match self.when {
            When::Always => Ok(()),
            When::Result(test) => write!(f, " when {}", test.word()),
            When::Argument(index, test) => write!(f, " when arg{index} {}", test.word()),
        }
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Action::Acquire {
                lock,
                mode,
                kind,
                recursive,
                blocking,
            } => {
                write!(f, "acquire {lock} {} {}", mode.word(), kind.word())?;
                f.write_str(if *recursive { " recursive" } else { "" })?;
                f.write_str(if *blocking { "" } else { " without waiting" })
            }
            Action::Release { lock } => write!(f, "release {lock}"),
            Action::InitialiseLock {
                lock,
                kind,
                recursive,
                count,
            } => {
                write!(f, "initialise lock {lock} {}", kind.word())?;
                f.write_str(if *recursive { " recursive" } else { "" })?;
                optional(f, " count ", count)
            }
            Action::DestroyLock { lock } => write!(f, "destroy lock {lock}"),
            Action::Wait { lock, mode, on } => {
                write!(f, "wait with {lock} {}", mode.word())?;
                optional(f, " on ", on)
            }
            Action::Start {
                entry,
                arguments,
                handle,
                context,
                many,
            } => {
                write!(f, "start {} {entry}", context.word())?;
                list(f, arguments)?;
                f.write_str(if *many { " many" } else { "" })?;
                optional(f, " as ", handle)
            }
            Action::Join { handle, entry } => {
                f.write_str("join")?;
                optional(f, " ", handle)?;
                optional(f, " all of ", entry)
            }
            Action::Detach { handle } => write!(f, "detach {handle}"),
            Action::EndThread => f.write_str("end thread"),
            Action::Once {
                control,
                entry,
                arguments,
            } => {
                write!(f, "once {control} {entry}")?;
                list(f, arguments)
            }
            Action::Call {
                function,
                arguments,
            } => {
                write!(f, "call {function}")?;
                list(f, arguments)
            }
            Action::Read { pointer, size } => write!(f, "read {pointer} size {size}"),
            Action::Write {
                pointer,
                size,
                value,
            } => {
                write!(f, "write {pointer} size {size}")?;
                optional(f, " value ", value)
            }
            Action::Copy { to, from, size } => write!(f, "copy to {to} from {from} size {size}"),
            Action::Allocate { result, zeroed } => {
                write!(f, "allocate {result}")?;
                f.write_str(if *zeroed { " zeroed" } else { "" })
            }
            Action::Free { pointer } => write!(f, "free {pointer}"),
            Action::Atomic(atomic) => atomic.fmt(f),
            Action::Post { object } => write!(f, "post {object}"),
            Action::InitialiseSignal { object, count } => {
                write!(f, "initialise signal {object}")?;
                optional(f, " count ", count)
            }
            Action::WaitFor { object } => write!(f, "wait for {object}"),
            Action::Body => f.write_str("body"),
        }
    }
}

impl Display for Atomic {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "atomic {}", self.operation.word())?;
        optional(f, " ", &self.pointer)?;
        optional(f, " value ", &self.value)?;
        optional(f, " expected ", &self.expected)?;
        optional(f, " out ", &self.out)?;
        if self.result != AtomicResult::None {
            write!(f, " result {}", self.result.word())?;
        }
        match self.order {
            Order::Fixed(ordering) => write!(f, " order {}", ordering.word()),
            Order::Argument(index) => write!(f, " order arg{index}"),
        }
    }
}

impl Display for Size {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Size::Bytes(bytes) => bytes.fmt(f),
            Size::Value(value) => value.fmt(f),
            Size::Product(left, right) => write!(f, "{left} * {right}"),
            Size::String => f.write_str("string"),
            Size::Pointee => f.write_str("pointee"),
            Size::Unknown => f.write_str("unknown"),
        }
    }
}

fn optional(f: &mut Formatter<'_>, before: &str, value: &Option<Value>) -> fmt::Result {
    match value {
        Some(value) => write!(f, "{before}{value}"),
        None => Ok(()),
    }
}

fn list(f: &mut Formatter<'_>, values: &[Value]) -> fmt::Result {
    f.write_str("(")?;
    for (index, value) in values.iter().enumerate() {
        write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
    }
    f.write_str(")")
}
