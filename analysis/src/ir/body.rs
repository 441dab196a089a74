//! The body of one function: locals, blocks, statements. It holds no position in any file.

use super::place::{Base, FunctionRef, GlobalRef, Place};
use super::ty::Ty;
use std::sync::{Arc, LazyLock};
use ustr::Ustr;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    pub function: FunctionRef,
    pub result: Ty,
    /// The first `parameters` locals are the formals, in order.
    pub parameters: usize,
    pub variadic: bool,
    pub locals: Vec<Local>,
    pub strings: Vec<Box<[u8]>>,
    /// What gives the function's `static` variables their first values, before the program runs.
    pub statics: Vec<Statement>,
    /// The function's `static` variables with their types.
    pub static_locals: Vec<(GlobalRef, Ty)>,
    /// Blocks in an order in which the entry is the first.
    pub blocks: Vec<Block>,
    /// Layouts of the records that are defined inside this function.
    pub records: Vec<(super::RecordRef, super::RecordLayout)>,
    pub landmarks: super::Landmarks,
}

static NOBODY: LazyLock<Arc<Body>> = LazyLock::new(|| {
    Arc::new(Body {
        function: FunctionRef::nobody(),
        result: Ty::void(),
        parameters: 0,
        variadic: false,
        locals: Vec::new(),
        strings: Vec::new(),
        statics: Vec::new(),
        static_locals: Vec::new(),
        blocks: vec![Block::default()],
        records: Vec::new(),
        landmarks: super::Landmarks::default(),
    })
});

impl Body {
    /// What stands in a place where there is no function yet: nobody calls it, and it does nothing.
    pub fn of_nobody() -> Arc<Body> {
        NOBODY.clone()
    }

    /// Whether it calls such a function by its name, or takes its address.
    pub fn mentions(&self, is_wanted: &dyn Fn(FunctionRef) -> bool) -> bool {
        let is_mentioned = |statement: &Statement| {
            let mut found = match statement {
                Statement::Call {
                    callee: Callee::Direct(name),
                    ..
                } => is_wanted(*name),
                _ => false,
            };
            statement.operands(&mut |operand| {
                found |= matches!(operand, Operand::Function(name) if is_wanted(*name));
            });
            found
        };
        let statements = self.blocks.iter().flat_map(|block| &block.statements);
        statements.chain(&self.statics).any(is_mentioned)
            || self.blocks.iter().any(|block| {
                let mut found = false;
                block.terminator.operands(&mut |operand| {
                    found |= matches!(operand, Operand::Function(name) if is_wanted(*name));
                });
                found
            })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct LocalId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct BlockId(pub u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct StringId(pub u32);

/// A formal, a variable of the C text or a temporary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Temporaries have no name.
    pub name: Option<Ustr>,
    pub ty: Ty,
    pub storage: Storage,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// A scalar whose address is never taken: reading and writing it is no memory access.
    Register,
    /// Lives in the frame; touched by `Load` and `Store`.
    Memory,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    pub statements: Vec<Statement>,
    pub terminator: Terminator,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// Reads memory into a register.
    Load {
        target: LocalId,
        place: Place,
        ty: Ty,
        mode: AccessMode,
    },
    /// Writes a value to memory.
    Store {
        place: Place,
        value: Operand,
        ty: Ty,
        mode: AccessMode,
    },
    /// Reads and writes memory in one indivisible step; `target` gets the old value.
    Update {
        target: LocalId,
        place: Place,
        operator: BinaryOperator,
        value: Operand,
        ty: Ty,
    },
    /// Computes on registers.
    Assign { target: LocalId, value: Rvalue },
    Call {
        target: Option<LocalId>,
        callee: Callee,
        arguments: Vec<Operand>,
    },
    /// Inline assembly: its memory operands are loads before and stores of unknown values behind.
    Assembly {
        memory_clobber: bool,
        /// It does nothing to memory: an empty text, a fence, or a computation on registers.
        harmless: bool,
    },
}

/// How an access reaches memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessMode {
    Plain,
    Volatile,
    /// Of an `_Atomic` object, in sequentially consistent order.
    Atomic,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    Direct(FunctionRef),
    Indirect(Operand),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    Local(LocalId),
    Integer(i128),
    /// A floating constant by its bits.
    Float(u64),
    String(StringId),
    Function(FunctionRef),
    /// A value that the representation does not know.
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rvalue {
    Use(Operand),
    Unary(UnaryOperator, Operand),
    /// Both operands have the type `ty` (shifts: the left one).
    Binary {
        operator: BinaryOperator,
        left: Operand,
        right: Operand,
        ty: Ty,
    },
    /// Converts from one type to that of the target.
    Convert {
        value: Operand,
        from: Ty,
    },
    AddressOf(Place),
    /// `base + index * size`, in bytes of the element.
    PointerAdd {
        base: Operand,
        index: Operand,
        size: u64,
    },
    /// `(left - right) / size`.
    PointerDifference {
        left: Operand,
        right: Operand,
        size: u64,
    },
    /// The address of a label, for computed `goto`.
    LabelAddress(BlockId),
    /// Storage on the stack whose size is known at run time.
    StackAllocate {
        bytes: Operand,
    },
    /// The next variable argument.
    VariableArgument(Operand),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOperator {
    Negate,
    Complement,
    /// `!`: 1 for zero, 0 for everything else.
    Not,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum BinaryOperator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Terminator {
    Goto(BlockId),
    /// To `then` if the condition is not zero.
    Branch {
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        cases: Vec<SwitchCase>,
        default: BlockId,
    },
    ComputedGoto {
        address: Operand,
        targets: Vec<BlockId>,
    },
    Return(Option<Operand>),
    #[default]
    Unreachable,
}

/// The values `low..=high` lead to `target`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchCase {
    pub low: i128,
    pub high: i128,
    pub target: BlockId,
}

/// Where a statement stands in its body.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct StatementId {
    pub block: BlockId,
    pub index: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AccessKind {
    Read,
    Write,
    /// A read and a write that nothing comes between.
    Update,
}

impl BinaryOperator {
    pub fn is_comparison(self) -> bool {
        use BinaryOperator::*;
        matches!(
            self,
            Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual
        )
    }

    pub fn is_commutative(self) -> bool {
        use BinaryOperator::*;
        matches!(self, Add | Multiply | And | Or | Xor | Equal | NotEqual)
    }

    /// The result on constants, if it is the same in every integer type of C.
    pub fn on_constants(self, left: i128, right: i128) -> Option<i128> {
        let is_small = |value: i128| (0..=i128::from(i32::MAX)).contains(&value);
        if !is_small(left) || !is_small(right) {
            return None;
        }
        let result = self.fold(left, right).filter(|_| !self.is_comparison())?;
        is_small(result).then_some(result)
    }

    /// What it gives before the result is brought into its type; `None` where C leaves it undefined. No type is
    /// wider than the numbers here, so wrapping them loses nothing.
    pub fn fold(self, left: i128, right: i128) -> Option<i128> {
        use BinaryOperator::*;
        let shift = || u32::try_from(right).ok().filter(|&by| by < 64);
        match self {
            Add => Some(left.wrapping_add(right)),
            Subtract => Some(left.wrapping_sub(right)),
            Multiply => Some(left.wrapping_mul(right)),
            Divide => left.checked_div(right),
            Remainder => left.checked_rem(right),
            ShiftLeft => shift().map(|by| left.wrapping_shl(by)),
            ShiftRight => shift().map(|by| left >> by),
            And => Some(left & right),
            Or => Some(left | right),
            Xor => Some(left ^ right),
            Equal => Some(i128::from(left == right)),
            NotEqual => Some(i128::from(left != right)),
            Less => Some(i128::from(left < right)),
            LessOrEqual => Some(i128::from(left <= right)),
            Greater => Some(i128::from(left > right)),
            GreaterOrEqual => Some(i128::from(left >= right)),
        }
    }
}

impl Statement {
    /// The register that the statement assigns.
    pub fn target(&self) -> Option<LocalId> {
        match self {
            Statement::Load { target, .. }
            | Statement::Update { target, .. }
            | Statement::Assign { target, .. } => Some(*target),
            Statement::Call { target, .. } => *target,
            Statement::Store { .. } | Statement::Assembly { .. } => None,
        }
    }

    /// Shows every operand that the statement reads.
    pub fn operands(&self, visit: &mut dyn FnMut(&Operand)) {
        match self {
            Statement::Load { place, .. } => place.operands(visit),
            Statement::Store { place, value, .. } | Statement::Update { place, value, .. } => {
                place.operands(visit);
                visit(value);
            }
            Statement::Assign { value, .. } => value.operands(visit),
            Statement::Call {
                callee, arguments, ..
            } => {
                if let Callee::Indirect(pointer) = callee {
                    visit(pointer);
                }
                arguments.iter().for_each(visit);
            }
            Statement::Assembly { .. } => {}
        }
    }

    /// The memory access that this statement is, if it is one.
    pub fn access(&self) -> Option<(AccessKind, &Place, AccessMode)> {
        match self {
            Statement::Load { place, mode, .. } => Some((AccessKind::Read, place, *mode)),
            Statement::Store { place, mode, .. } => Some((AccessKind::Write, place, *mode)),
            Statement::Update { place, .. } => {
                Some((AccessKind::Update, place, AccessMode::Atomic))
            }
            Statement::Assign { .. } | Statement::Call { .. } | Statement::Assembly { .. } => None,
        }
    }
}

impl Rvalue {
    fn operands(&self, visit: &mut dyn FnMut(&Operand)) {
        match self {
            Rvalue::Use(value)
            | Rvalue::Unary(_, value)
            | Rvalue::Convert { value, .. }
            | Rvalue::StackAllocate { bytes: value }
            | Rvalue::VariableArgument(value) => visit(value),
            Rvalue::Binary { left, right, .. } | Rvalue::PointerDifference { left, right, .. } => {
                visit(left);
                visit(right);
            }
            Rvalue::AddressOf(place) => place.operands(visit),
            Rvalue::PointerAdd { base, index, .. } => {
                visit(base);
                visit(index);
            }
            Rvalue::LabelAddress(_) => {}
        }
    }
}

impl Terminator {
    /// Shows every operand that the terminator reads.
    pub fn operands(&self, visit: &mut dyn FnMut(&Operand)) {
        match self {
            Terminator::Branch {
                condition: value, ..
            }
            | Terminator::Switch { value, .. }
            | Terminator::ComputedGoto { address: value, .. }
            | Terminator::Return(Some(value)) => visit(value),
            Terminator::Goto(_) | Terminator::Return(None) | Terminator::Unreachable => {}
        }
    }
}

impl Body {
    pub fn block(&self, block: BlockId) -> &Block {
        &self.blocks[block.0 as usize]
    }

    pub fn local(&self, local: LocalId) -> &Local {
        &self.locals[local.0 as usize]
    }

    pub fn statement(&self, id: StatementId) -> &Statement {
        &self.block(id.block).statements[id.index as usize]
    }

    /// The variables with static storage that the body gives values to by their names.
    pub fn stored(&self) -> Vec<GlobalRef> {
        let statements = self.statements().map(|(_, statement)| statement);
        let targets = statements.filter_map(|statement| match statement {
            Statement::Store { place, .. } => match place.base {
                Base::Global(global) => Some(global),
                _ => None,
            },
            _ => None,
        });
        targets.collect()
    }

    /// Every statement with its place in the body, block by block.
    pub fn statements(&self) -> impl Iterator<Item = (StatementId, &Statement)> {
        self.blocks.iter().enumerate().flat_map(|(block, content)| {
            content
                .statements
                .iter()
                .enumerate()
                .map(move |(index, statement)| {
                    (
                        StatementId {
                            block: BlockId(block as u32),
                            index: index as u32,
                        },
                        statement,
                    )
                })
        })
    }
}
