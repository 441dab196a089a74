//! The text of lock operations: which function takes, tries and releases which kind of lock.

use super::objects::ELEMENTS;
use super::plan::{Addressing, Guard, LockKind, LockPlace, Object, Operation, Plan};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Exclusive,
    Shared,
}

impl LockKind {
    pub fn type_name(self) -> &'static str {
        match self {
            LockKind::Mutex | LockKind::Recursive => "pthread_mutex_t",
            LockKind::ReadWrite => "pthread_rwlock_t",
            LockKind::Spin => "pthread_spinlock_t",
        }
    }

    pub fn acquire(self, lock: &str, mode: Mode) -> String {
        match (self, mode) {
            (LockKind::Mutex | LockKind::Recursive, _) => format!("pthread_mutex_lock({lock});"),
            (LockKind::ReadWrite, Mode::Exclusive) => format!("pthread_rwlock_wrlock({lock});"),
            (LockKind::ReadWrite, Mode::Shared) => format!("pthread_rwlock_rdlock({lock});"),
            (LockKind::Spin, _) => format!("pthread_spin_lock({lock});"),
        }
    }

    /// An expression that is zero when the lock was taken.
    pub fn try_acquire(self, lock: &str, mode: Mode) -> String {
        match (self, mode) {
            (LockKind::Mutex | LockKind::Recursive, _) => format!("pthread_mutex_trylock({lock})"),
            (LockKind::ReadWrite, Mode::Exclusive) => format!("pthread_rwlock_trywrlock({lock})"),
            (LockKind::ReadWrite, Mode::Shared) => format!("pthread_rwlock_tryrdlock({lock})"),
            (LockKind::Spin, _) => format!("pthread_spin_trylock({lock})"),
        }
    }

    pub fn release(self, lock: &str) -> String {
        match self {
            LockKind::Mutex | LockKind::Recursive => format!("pthread_mutex_unlock({lock});"),
            LockKind::ReadWrite => format!("pthread_rwlock_unlock({lock});"),
            LockKind::Spin => format!("pthread_spin_unlock({lock});"),
        }
    }

    pub fn initialise(self, lock: &str) -> Vec<String> {
        match self {
            LockKind::Mutex => vec![format!("pthread_mutex_init({lock}, NULL);")],
            LockKind::Recursive => vec![
                "pthread_mutexattr_t attributes;".into(),
                "pthread_mutexattr_init(&attributes);".into(),
                "pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);".into(),
                format!("pthread_mutex_init({lock}, &attributes);"),
            ],
            LockKind::ReadWrite => vec![format!("pthread_rwlock_init({lock}, NULL);")],
            LockKind::Spin => vec![format!(
                "pthread_spin_init({lock}, PTHREAD_PROCESS_PRIVATE);"
            )],
        }
    }
}

/// The lock of an operation: its address as the operation's function can name it, and its kind.
pub struct GuardLock {
    pub address: String,
    pub kind: LockKind,
    pub mode: Mode,
}

pub fn guard_lock(plan: &Plan, operation: &Operation) -> GuardLock {
    let object = &plan.objects[operation.object];
    let is_spare = operation.guard == Guard::Spare;
    GuardLock {
        address: if is_spare {
            spare(plan)
        } else {
            address(plan, object, operation)
        },
        kind: if is_spare {
            LockKind::Mutex
        } else {
            object.lock
        },
        mode: if operation.guard == Guard::Shared {
            Mode::Shared
        } else {
            Mode::Exclusive
        },
    }
}

/// A mutex that guards nothing in particular.
pub fn spare(plan: &Plan) -> String {
    format!("&p{}_spare", plan.seed)
}

fn address(plan: &Plan, object: &Object, operation: &Operation) -> String {
    let name = format!("p{}_o{}", plan.seed, operation.object);
    let index = if operation.guard == Guard::Neighbour {
        format!("(index + 1) % {ELEMENTS}")
    } else {
        "index".to_owned()
    };
    let place = match operation.addressing {
        Addressing::Pointer => "object->".to_owned(),
        Addressing::Index => format!("{name}[{index}]."),
        Addressing::Name => format!("{name}."),
    };
    match object.lock_place {
        LockPlace::Inside => format!("&{place}lock"),
        LockPlace::Global => format!("&{name}_lock"),
        LockPlace::BehindPointer => format!("{place}guard"),
        LockPlace::Parallel => format!("&{name}_locks[{index}]"),
    }
}

/// What a function does before and after its access.
pub struct Bracket {
    pub enter: Vec<String>,
    pub leave: Vec<String>,
}

pub fn bracket(plan: &Plan, operation: &Operation) -> Bracket {
    let GuardLock {
        address,
        kind,
        mode,
    } = guard_lock(plan, operation);
    let (acquire, release) = (kind.acquire(&address, mode), kind.release(&address));
    let spare = spare(plan);
    let (enter, leave) = match operation.guard {
        Guard::Right | Guard::Shared | Guard::Spare | Guard::Neighbour => {
            (vec![acquire], vec![release])
        }
        Guard::Nested => (
            vec![format!("pthread_mutex_lock({spare});"), acquire],
            vec![release, format!("pthread_mutex_unlock({spare});")],
        ),
        Guard::Nothing => (Vec::new(), Vec::new()),
        Guard::Released => (vec![acquire, release], Vec::new()),
        Guard::Sometimes => {
            let condition = "if (round != 1)".to_owned();
            (
                vec![condition.clone(), format!("    {acquire}")],
                vec![condition, format!("    {release}")],
            )
        }
        Guard::Tried => (
            vec![format!(
                "int failed = {};",
                kind.try_acquire(&address, mode)
            )],
            vec!["if (failed == 0)".to_owned(), format!("    {release}")],
        ),
    };
    Bracket { enter, leave }
}
