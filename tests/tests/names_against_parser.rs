//! The names that are found by looking at tokens are those in the parser's tree.

use std::collections::BTreeSet;

use lang_c::ast::{
    DeclarationSpecifier, Declarator, DeclaratorKind, EnumType, ExternalDeclaration,
    StorageClassSpecifier, StructType,
};
use lang_c::span::Span;
use lang_c::visit::{self, Visit};
use racelens_analysis::frontend::declaration::DeclarationStore;
use racelens_analysis::frontend::groups::{DeclarationSource, Group};
use racelens_analysis::frontend::names::NameSpace;
use racelens_analysis::frontend::normalise::BUILTIN_TYPE_NAMES;
use racelens_analysis::frontend::split::ItemKind;
use racelens_tests::compiler::preprocess;
use racelens_tests::front_end::FrontEnd;

const HEADERS: &str = "#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <complex.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <signal.h>
#include <ucontext.h>
#include <stdatomic.h>
#include <semaphore.h>
#include <setjmp.h>
#include <unistd.h>
#include <fcntl.h>
#include <wchar.h>
";

const DECLARATIONS: &str = "
int a, *b, c[3], (*d)(int x), (*e[4])(void), (f), *(g), (*h)[2];
int (*function_returning(int first))(char second);
void (*signal_like(int s, void (*handler)(int)))(int);
extern int plain(int), other(char *name), third();
static inline unsigned long long wide(void) { return 1; }
typedef int number, *pointer, array[4], (*callback)(number n, pointer p), function(void);
typedef struct node { struct node *next; enum { RED, BLACK = 2 } colour; } node, *node_pointer;
typedef struct { int x; } unnamed;
struct only_tag { union inner { int i; } u; struct { int deep; } v[2]; };
struct only_tag variable, *to_it, list[] = { { { 1 } } };
enum weekday { MONDAY = 1, TUESDAY, WEDNESDAY = sizeof(int) + (2, 3), } today;
enum { UNNAMED_ONE, UNNAMED_TWO };
struct forward; struct forward *forwarded; union forward_union;
int initialised = 1, also = (2, 3), braced[] = { 1, 2 }, last;
char text[] = \"a, b; c\", letter = ';';
typedef int vector __attribute__((vector_size(16)));
__attribute__((noinline, cold)) static int attributed(void) __attribute__((pure));
extern int renamed(void) __asm__(\"other_name\");
struct __attribute__((packed)) packed_one { char c; } packed_variable;
struct { int y; } __attribute__((aligned(8))) aligned_variable;
typedef __typeof__(sizeof(int)) size_type; __typeof__(int *) typed_pointer;
_Atomic int atomic_one; _Atomic(int) atomic_two, atomic_three; _Atomic(int *) atomic_four;
_Thread_local int local_one; static __thread int local_two; extern _Thread_local int local_three;
const volatile unsigned char *const volatile qualified;
_Noreturn void stop(void); void stop_too(void) __attribute__((noreturn));
int old(first, second) int first; char *second; { return first; }
int with_array(int values[static 4], int n, int matrix[n][n]);
int variadic(const char *format, ...) __attribute__((format(printf, 1, 2)));
long long unsigned int mixed_order; _Bool flag; _Complex double imaginary;
__extension__ typedef long long extended; __int128 huge; unsigned __int128 more_huge;
int shadow(int number), shadow_two(number); number used(number a, pointer number);
struct returned { int z; } returning(struct argument { int w; } *given);
_Static_assert(sizeof(int) == 4, \"int\"); ; int behind_empty;
int __attribute__((unused)) between, after_attribute; int *restrict_like(char *restrict s);
";

/// Collects what a declaration binds at file scope.
#[derive(Default)]
struct Bound {
    names: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_struct_type(&mut self, node: &'ast StructType, span: &'ast Span) {
        if let (Some(_), Some(tag)) = (&node.declarations, &node.identifier) {
            self.names.insert(format!("tag {}", tag.node.name));
        }
        visit::visit_struct_type(self, node, span);
    }

    fn visit_enum_type(&mut self, node: &'ast EnumType, span: &'ast Span) {
        if let (false, Some(tag)) = (node.enumerators.is_empty(), &node.identifier) {
            self.names.insert(format!("tag {}", tag.node.name));
        }
        for enumerator in &node.enumerators {
            let name = &enumerator.node.identifier.node.name;
            if !name.starts_with("__racelens_") {
                self.names.insert(format!("enumerator {name}"));
            }
        }
        visit::visit_enum_type(self, node, span);
    }
}

fn declarator_name(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => declarator_name(&inner.node),
    }
}

fn names_in_tree(tree: &ExternalDeclaration) -> BTreeSet<String> {
    let mut bound = Bound::default();
    let nowhere = Span::none();
    bound.visit_external_declaration(tree, &nowhere);
    if let ExternalDeclaration::Declaration(declaration) = tree {
        let is_typedef = declaration.node.specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class)
                if class.node == StorageClassSpecifier::Typedef)
        });
        let space = if is_typedef { "typedef" } else { "value" };
        for declarator in &declaration.node.declarators {
            if let Some(name) = declarator_name(&declarator.node.declarator.node) {
                bound.names.insert(format!("{space} {name}"));
            }
        }
    }
    bound.names
}

fn names_by_tokens(group: &Group, item: u32) -> BTreeSet<String> {
    let own = group.declared.iter().filter(|it| it.item == item);
    own.map(|declared| {
        let space = match declared.space {
            NameSpace::Typedef => "typedef",
            NameSpace::Tag => "tag",
            NameSpace::Value | NameSpace::FunctionDefinition => "value",
            NameSpace::Enumerator => "enumerator",
        };
        format!("{space} {}", declared.name)
    })
    .collect()
}

/// Compares both ways for every item, and returns how many there were.
fn check(preprocessed: &str) -> usize {
    let front_end = FrontEnd::read(preprocessed);
    let store = DeclarationStore::default();
    let is_typedef = |name: ustr::Ustr| {
        front_end.typedef(&name).is_some()
            || (front_end.variable(&name).is_none() && BUILTIN_TYPE_NAMES.contains(&name.as_str()))
    };
    let mut wrong = Vec::new();
    let mut compared = 0;
    for table in front_end.analysis().program().units.values() {
        for placed in &table.groups {
            for (index, item) in placed.group.items.iter().enumerate() {
                if matches!(
                    item.kind,
                    ItemKind::Empty | ItemKind::StaticAssert | ItemKind::Assembly
                ) {
                    continue;
                }
                let source = DeclarationSource::new(&placed.group, index as u32);
                let declaration = store.get(&source, &is_typedef);
                let tree = match &declaration.parsed {
                    Ok(parsed) => parsed.declaration.as_ref(),
                    Err(error) => {
                        wrong.push(format!("{}: {error}", placed.group.item_text(item)));
                        continue;
                    }
                };
                let Some(tree) = tree else { continue };
                compared += 1;
                let by_tokens = names_by_tokens(&placed.group, index as u32);
                let in_tree = names_in_tree(tree);
                if by_tokens != in_tree {
                    let text = placed.group.item_text(item);
                    wrong.push(format!(
                        "{text}\n  tokens: {by_tokens:?}\n  tree: {in_tree:?}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    compared
}

#[test]
fn declarations_of_every_form() {
    assert_eq!(check(DECLARATIONS), 48);
}

#[test]
fn every_declaration_of_the_system_headers() {
    assert!(check(&preprocess(HEADERS)) > 1500);
}
