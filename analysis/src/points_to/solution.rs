//! The solved points-to relation and what one can ask it.

use super::by_function::ByFunction;
use super::constraints::{Constraints, Label, Term};
use super::containment;
use super::differences::Differences;
use super::graph::{Graph, NONE, NodeId};
use super::reads::{Aspect, note};
use super::record_uses::RecordUses;
use super::records::{LabelId, Records};
use super::solve::{Solver, SolverBody};
use super::standing::{Kinds, Standing};
use crate::ir::{
    Base, FunctionRef, GlobalRef, LocalId, Operand, Place, Projection, RecordRef, StatementId,
    StringId,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, OnceLock};
use ustr::Ustr;

/// An equivalence class of memory cells. Two places of different classes never overlap.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class(pub(super) u32);

impl Class {
    /// Its place in lists that have one for each class.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The class with such a place.
    pub fn at(index: usize) -> Class {
        Class(index as u32)
    }
}

#[cfg(test)]
impl Class {
    pub(crate) fn for_tests(number: u32) -> Class {
        Class(number)
    }
}

/// A piece of memory that the analysis gives a name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Object {
    Global(GlobalRef),
    /// A variable of a function, by its number among those that the function mentions.
    Local(FunctionRef, u32),
    /// Something that is allocated, wherever.
    Heap,
    String,
    Function(FunctionRef),
}

/// What every pointer of the program may point to. Parts are shared with the relation before an edit that leaves them as
/// they are.
#[derive(Clone)]
pub struct PointsTo {
    pub(super) classes: Arc<Vec<ClassData>>,
    pub(super) records: Arc<Records>,
    pub(super) record_uses: Arc<RecordUses>,
    pub(super) functions: ByFunction<Arc<FunctionClasses>>,
    pub(super) globals: Arc<FxHashMap<GlobalRef, u32>>,
    pub(super) function_cells: Arc<FxHashMap<FunctionRef, u32>>,
    pub(super) call_targets: ByFunction<Arc<CallTargets>>,
    /// On which edits can be tried. The relations before and after an edit that changes nothing for others have it in common.
    pub(super) standing: Option<Arc<Mutex<Standing>>>,
}

/// What the calls through pointers of one function may reach.
pub(super) type CallTargets = FxHashMap<StatementId, Vec<FunctionRef>>;

pub(super) struct ClassData {
    /// The class that pointers in this one point to.
    pub target: u32,
    /// Sorted by label.
    pub fields: Vec<(LabelId, u32)>,
    /// Records whose members are not told apart here, sorted.
    collapsed: Vec<RecordRef>,
    pub objects: Arc<[Object]>,
    functions: Vec<FunctionRef>,
    shared: bool,
    /// Found when they are asked for.
    parts: OnceLock<Box<[Class]>>,
    has_shared_part: OnceLock<bool>,
}

impl Default for ClassData {
    /// A number that no class has.
    fn default() -> ClassData {
        ClassData {
            target: NONE,
            fields: Vec::new(),
            collapsed: Vec::new(),
            objects: Arc::default(),
            functions: Vec::new(),
            shared: false,
            parts: OnceLock::new(),
            has_shared_part: OnceLock::new(),
        }
    }
}

impl ClassData {
    /// Whether no class has this number. Every cell holds something, so a class has a target.
    pub fn is_dead(&self) -> bool {
        self.target == NONE && self.fields.is_empty() && self.objects.is_empty()
    }

    /// Whether it has as many functions and records in it and is shared as much as one of another relation.
    #[cfg(test)]
    pub fn is_like(&self, other: &ClassData) -> bool {
        self.shared == other.shared
            && self.collapsed == other.collapsed
            && self.functions == other.functions
    }

    /// What is different about it, apart from single members and objects.
    pub fn differences(&self, other: &ClassData) -> Differences {
        let found = [
            (self.target != other.target, Differences::TARGET),
            (self.shared != other.shared, Differences::SHARED),
            (self.functions != other.functions, Differences::FUNCTIONS),
            (self.collapsed != other.collapsed, Differences::COLLAPSED),
        ];
        let found = found.into_iter().filter(|(is_different, _)| *is_different);
        found.fold(Differences::NONE, |all, (_, one)| all.and(one))
    }
}

/// The classes of a function's locals.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct FunctionClasses {
    /// What registers point to.
    pub registers: Vec<u32>,
    pub memory: FxHashMap<LocalId, u32>,
    pub strings: FxHashMap<StringId, u32>,
}

impl PointsTo {
    /// The functions that an indirect call may reach, sorted: those whose address flows there and
    /// that accept so many arguments, or the only one.
    pub fn call_targets(&self, function: FunctionRef, statement: StatementId) -> Vec<FunctionRef> {
        let calls = self.call_targets.get(function);
        let targets = calls.and_then(|calls| calls.get(&statement));
        targets.cloned().unwrap_or_default()
    }

    /// Whether the calls through pointers of a function reach what they reached before.
    pub fn calls_the_same(&self, before: &PointsTo, function: FunctionRef) -> bool {
        self.call_targets.get(function) == before.call_targets.get(function)
    }

    /// The functions whose address is taken somewhere, in no order.
    pub fn addressed_functions(&self) -> impl Iterator<Item = FunctionRef> + '_ {
        self.function_cells.keys().copied()
    }

    /// Whether the functions whose address is taken are those of which it was.
    pub fn has_addressed_functions_of(&self, before: &PointsTo) -> bool {
        let (now, before) = (&self.function_cells, &before.function_cells);
        Arc::ptr_eq(now, before)
            || (now.len() == before.len() && now.keys().all(|name| before.contains_key(name)))
    }

    /// The cell that a place of a function names.
    pub fn place(&self, function: FunctionRef, place: &Place) -> Option<Class> {
        let mut class = match &place.base {
            Base::Local(local) => {
                let classes = self.functions.get(function)?;
                Class(*classes.memory.get(local)?)
            }
            Base::Global(global) => Class(*self.globals.get(global)?),
            Base::Deref(pointer) => self.pointee(function, pointer)?,
        };
        note(class.0, Aspect::Identity);
        for projection in &place.path {
            if let Projection::Field { record, name } = projection {
                class = self.field(class, *record, *name)?;
            }
        }
        Some(class)
    }

    /// What an operand points to.
    pub fn pointee(&self, function: FunctionRef, pointer: &Operand) -> Option<Class> {
        let classes = self.functions.get(function)?;
        let found = match pointer {
            Operand::Local(local) => classes.registers.get(local.0 as usize),
            Operand::String(string) => classes.strings.get(string),
            Operand::Function(named) => self.function_cells.get(named),
            Operand::Integer(_) | Operand::Float(_) | Operand::Unknown => None,
        };
        let class = found.copied().filter(|class| *class != NONE)?;
        note(class, Aspect::Identity);
        Some(Class(class))
    }

    /// The functions that an operand may be the address of, sorted.
    pub fn value_functions(&self, function: FunctionRef, operand: &Operand) -> Vec<FunctionRef> {
        let class = self.pointee(function, operand);
        class.map_or_else(Vec::new, |class| self.functions(class).to_vec())
    }

    /// The functions that are in a class, sorted.
    pub fn functions(&self, class: Class) -> &[FunctionRef] {
        note(class.0, Aspect::Functions);
        &self.data(class).functions
    }

    /// A member of a cell.
    pub fn field(&self, class: Class, record: RecordRef, name: Ustr) -> Option<Class> {
        let data = self.data(class);
        if record.is_union() {
            note(class.0, Aspect::Identity);
            return Some(class);
        }
        if data.collapsed.binary_search(&record).is_ok() {
            note(class.0, Aspect::Collapsed);
            return Some(class);
        }
        let Some(label) = self.records.find_label(Label { record, name }) else {
            note(class.0, Aspect::EveryMember);
            return None;
        };
        note(class.0, Aspect::Member(label));
        let found = data.fields.binary_search_by_key(&label, |field| field.0);
        found.ok().map(|index| Class(data.fields[index].1))
    }

    /// Whether two members of a record are parts of one storage unit, as neighbouring bit-fields are.
    pub fn share_storage(&self, record: RecordRef, one: Ustr, other: Ustr) -> bool {
        let storage = |name| self.records.storage(Label { record, name });
        storage(one) == storage(other)
    }

    /// How many bytes a record has, if its definition is known.
    pub fn record_size(&self, record: RecordRef) -> Option<u64> {
        self.records.size(record)
    }

    /// What the pointers in a cell point to.
    pub fn deref(&self, class: Class) -> Option<Class> {
        note(class.0, Aspect::Target);
        let target = self.data(class).target;
        (target != NONE).then_some(Class(target))
    }

    /// The class and all members inside it, sorted: what an access to the whole object touches.
    pub fn parts(&self, class: Class) -> &[Class] {
        note(class.0, Aspect::Parts);
        self.find_parts(class.0)
    }

    pub(super) fn find_parts(&self, class: u32) -> &[Class] {
        let class = Class(class);
        self.data(class)
            .parts
            .get_or_init(|| self.collect_parts(class))
    }

    fn collect_parts(&self, class: Class) -> Box<[Class]> {
        let mut parts = vec![class];
        let mut known = FxHashSet::from_iter([class]);
        let mut next = 0;
        while let Some(&part) = parts.get(next) {
            next += 1;
            for (_, child) in &self.data(part).fields {
                if known.insert(Class(*child)) {
                    parts.push(Class(*child));
                }
            }
        }
        parts.sort_unstable();
        parts.into_boxed_slice()
    }

    /// Whether a class is one of the parts of another.
    pub fn has_part(&self, class: Class, part: Class) -> bool {
        note(class.0, Aspect::Part(part.0));
        self.find_part(class, part)
    }

    pub(super) fn find_part(&self, class: Class, part: Class) -> bool {
        self.find_parts(class.0).binary_search(&part).is_ok()
    }

    /// Whether another thread may get at the class or at a part of it.
    pub fn has_shared_part(&self, class: Class) -> bool {
        note(class.0, Aspect::SharedPart);
        self.find_shared_part(class)
    }

    pub(super) fn find_shared_part(&self, class: Class) -> bool {
        let is_shared = |part: &Class| self.data(*part).shared;
        *self
            .data(class)
            .has_shared_part
            .get_or_init(|| self.find_parts(class.0).iter().any(is_shared))
    }

    /// The objects whose storage is in the class or contains it, sorted.
    pub fn objects(&self, class: Class) -> &[Object] {
        note(class.0, Aspect::Objects);
        &self.data(class).objects
    }

    /// Whether another thread or an unknown function may get at the class: from a global, from
    /// the argument of a thread, from memory that was given away.
    pub fn is_shared(&self, class: Class) -> bool {
        note(class.0, Aspect::Shared);
        self.data(class).shared
    }

    /// How many places a list needs that has one for each class.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// All classes, in their order.
    pub fn classes(&self) -> impl Iterator<Item = Class> + '_ {
        let numbers = (0..self.classes.len() as u32).map(Class);
        numbers.filter(|class| !self.data(*class).is_dead())
    }

    /// The classes with the address of one of these functions in them.
    pub fn classes_with<'n>(
        &'n self,
        names: &'n FxHashSet<FunctionRef>,
    ) -> impl Iterator<Item = Class> + 'n {
        let some = match names.is_empty() {
            true => 0,
            false => self.classes.len() as u32,
        };
        let has_one = |class: &Class| {
            let mut functions = self.data(*class).functions.iter();
            functions.any(|function| names.contains(function))
        };
        (0..some).map(Class).filter(has_one)
    }

    /// The members of a class that the program mentions.
    pub fn fields(&self, class: Class) -> impl Iterator<Item = (RecordRef, Ustr, Class)> + '_ {
        note(class.0, Aspect::EveryMember);
        self.data(class).fields.iter().map(|(label, child)| {
            let label = self.records.get(*label);
            (label.record, label.name, Class(*child))
        })
    }

    fn data(&self, class: Class) -> &ClassData {
        &self.classes[class.0 as usize]
    }

    /// `is_edited` says whether edits will be tried on it.
    pub(super) fn new(mut solver: Solver, is_edited: bool) -> PointsTo {
        let escaped = solver.escaped();
        let kinds = Kinds::of_roots(&mut solver);
        let numbers = Numbers::new(&mut solver.graph, &kinds, &escaped);
        let addressed = solver.reached_by_address();
        let mut own_objects: Vec<Vec<Object>> = vec![Vec::new(); numbers.roots.len()];
        for (cell, object) in &solver.objects {
            own_objects[numbers.of_node[*cell as usize] as usize].push(*object);
        }
        let mut classes = Vec::with_capacity(numbers.roots.len());
        for root in &numbers.roots {
            let content = solver.graph.target(*root);
            let mut data = ClassData {
                target: numbers.of_node[content as usize],
                fields: Vec::new(),
                collapsed: Vec::new(),
                objects: Arc::default(),
                functions: Vec::new(),
                shared: escaped[*root as usize],
                parts: OnceLock::new(),
                has_shared_part: OnceLock::new(),
            };
            if let Some(detail) = solver.graph.detail_of(*root) {
                data.collapsed = detail.rare().collapsed.clone();
                let fields = detail.fields.iter();
                data.fields = fields
                    .map(|(label, child)| (*label, numbers.of_node[*child as usize]))
                    .collect();
                let functions = detail.rare().functions.iter();
                data.functions = functions
                    .flat_map(|function| addressed[*function as usize].names.iter().copied())
                    .collect();
                data.functions.sort_unstable();
                data.functions.dedup();
            }
            classes.push(data);
        }
        let number = |node: NodeId| numbers.of_node[node as usize];
        let bodies = solver.bodies_of_new_groups();
        let (contained, by_function) = rayon::join(
            || containment::objects_of_members(own_objects, &classes),
            || {
                let by_function = bodies.par_iter().map(|body| {
                    let classes = FunctionClasses::of_body(body, &numbers.of_node);
                    (body.function, Arc::new(classes))
                });
                by_function.collect::<Vec<_>>()
            },
        );
        for (class, objects) in classes.iter_mut().zip(contained) {
            class.objects = objects;
        }
        let by_function = by_function.into_iter().collect();
        let mut by_caller: FxHashMap<FunctionRef, CallTargets> = FxHashMap::default();
        for ((caller, statement), (cell, count)) in std::mem::take(&mut solver.indirect_calls) {
            let calls = by_caller.entry(caller).or_default();
            let targets = solver.call_targets(&addressed, cell, count);
            calls.insert(statement, targets);
        }
        let by_caller = by_caller.into_iter();
        let globals = solver.globals.iter();
        let function_cells = solver.function_cells.iter();
        let mut points_to = PointsTo {
            classes: Arc::new(classes),
            functions: by_function,
            globals: Arc::new(globals.map(|(key, node)| (*key, number(*node))).collect()),
            function_cells: Arc::new(
                function_cells
                    .map(|(key, node)| (*key, number(*node)))
                    .collect(),
            ),
            call_targets: by_caller
                .map(|(caller, calls)| (caller, Arc::new(calls)))
                .collect(),
            records: Arc::default(),
            record_uses: solver.record_uses.clone(),
            standing: None,
        };
        if !is_edited {
            points_to.records = Arc::new(solver.graph.records);
            return points_to;
        }
        points_to.records = Arc::new(solver.graph.records.clone());
        points_to.standing = Some(Arc::new(Mutex::new(Standing {
            numbers: numbers.of_node,
            lonely: numbers.lonely,
            addressed,
            escaped,
            kinds,
            solver,
        })));
        points_to
    }
}

/// Classes numbered in the order of their first nodes.
struct Numbers {
    roots: Vec<NodeId>,
    /// Of a cell its own class, of a value the class that it points to.
    of_node: Vec<u32>,
    /// The one class of all strings that have nothing to do with anything else.
    lonely: Option<u32>,
}

impl Numbers {
    fn new(graph: &mut Graph, kinds: &Kinds, escaped: &[bool]) -> Numbers {
        let count = graph.len();
        let mut roots = Vec::new();
        let mut of_node = vec![NONE; count];
        let mut lonely = None;
        for node in 0..count as NodeId {
            if !graph.is_cell(node) {
                continue;
            }
            let root = graph.find(node);
            if of_node[root as usize] == NONE {
                let next = roots.len() as u32;
                let is_lonely =
                    !escaped[root as usize] && kinds.are_only_strings(root) && graph.is_bare(root);
                let number = match is_lonely {
                    true => *lonely.get_or_insert(next),
                    false => next,
                };
                of_node[root as usize] = number;
                if number == next {
                    roots.push(root);
                }
            }
            of_node[node as usize] = of_node[root as usize];
        }
        for node in 0..count as NodeId {
            if !graph.is_cell(node)
                && let Some(target) = graph.existing_target(node)
            {
                of_node[node as usize] = of_node[target as usize];
            }
        }
        Numbers {
            roots,
            of_node,
            lonely,
        }
    }
}

impl FunctionClasses {
    /// Those of a function, where nodes have these numbers.
    pub(super) fn of_body(body: &SolverBody, numbers: &[u32]) -> FunctionClasses {
        FunctionClasses::new(&body.constraints, &body.nodes, |node| match node {
            NONE => NONE,
            node => numbers[(body.first + node) as usize],
        })
    }

    /// `number` gives the class of a cell, or the class that a value points to.
    pub(super) fn new(
        constraints: &Constraints,
        nodes: &[NodeId],
        number: impl Fn(NodeId) -> u32,
    ) -> FunctionClasses {
        let mut classes = FunctionClasses::default();
        let registers = constraints.terms.iter().filter_map(|term| match term {
            Term::Register(local) => Some(local),
            _ => None,
        });
        let registers = registers.chain(constraints.aliases.iter().map(|(local, _)| local));
        let count = registers.map(|local| local.0 as usize + 1).max();
        classes.registers = vec![NONE; count.unwrap_or(0)];
        for (term, node) in constraints.terms.iter().zip(nodes) {
            match term {
                Term::Register(local) => classes.set_register(*local, number(*node)),
                Term::Memory(local) => {
                    classes.memory.insert(*local, number(*node));
                }
                Term::String(string) => {
                    classes.strings.insert(*string, number(*node));
                }
                _ => {}
            }
        }
        for (local, term) in &constraints.aliases {
            classes.set_register(*local, number(nodes[term.0 as usize]));
        }
        classes
    }

    pub(super) fn set_register(&mut self, local: LocalId, class: u32) {
        let index = local.0 as usize;
        if self.registers.len() <= index {
            self.registers.resize(index + 1, NONE);
        }
        self.registers[index] = class;
    }
}
