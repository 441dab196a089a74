//! Compares our trees with lang-c's on small items that were chosen by hand.

use crate::frontend::parse::{Agreement, compare_parsers};

/// `T` and `U` are types.
fn check(body: &str, expected: Agreement) {
    let text = format!("int f ( int a , int * p ) {{ {body} }}");
    assert_eq!(
        compare_parsers(&["T", "U"], &text),
        Some(expected),
        "{text}"
    );
}

fn check_item(text: &str, expected: Agreement) {
    assert_eq!(compare_parsers(&["T", "U"], text), Some(expected), "{text}");
}

#[test]
fn expressions() {
    for body in [
        "a = a + a * a - a / a % a << a >> a < a > a <= a >= a == a != a & a ^ a | a && a || a ;",
        "a = a || a && a | a ^ a & a == a < a << a + a * a ;",
        "a = a - a - a ; a = p = a ; a += a -= 3 ;",
        "a ? a : a ? a , a : a ;",
        "a = 1 , p = 0 , a ;",
        "p [ 1 ] . x -> y ++ -- ( a , p ) ( ) [ a , a ] ;",
        "- ~ ! * & + a ; ++ p ; -- * p ; - - a ; & p [ 1 ] ;",
        "sizeof a ; sizeof ( a ) -> x ; sizeof ( T ) ; sizeof ( int * [ 3 ] ) + 1 ; sizeof - a ;",
        "_Alignof ( T ) ; _Alignof ( __typeof__ ( a ) ) ;",
        "( T ) a ; ( T ) ( a ) ; ( T * ) & a ; ( const T * const * ) ( U ) * p ; ( int ) - a ;",
        "( T ) { 1 } . x ; ( struct s ) { . a = 1 , . b [ 2 ] = { 3 } , } ; & ( T ) { 1 , 2 } ;",
        "( T ) -> x = 1 ; f ( ( T ) , ( T ) ) ; ( T ) == 1 ; ( T ) ;",
        "T -> x = 1 ; T = 3 ; T ++ ; T [ 1 ] = 2 ;",
        "( { int b = a ; b ; } ) ; p = ( { T x ; x ; } ) + 1 ;",
        "\"a\" \"b\\n\\x41\\101\" L\"c\" ; 'a' ; L'\\'' ; '\\0' ; u8\"x\" ;",
        "0 ; 00 ; 017ul ; 0x1fULL ; 0b101 ; 1.5 ; .5f ; 1.L ; 1e5 ; 1.5e-3 ; 0x1.8p3 ; 0x1p-2f ;",
        "__builtin_va_arg ( a , T * ) ; __builtin_offsetof ( T , a . b [ 3 ] ) ; __func__ ;",
        "_Generic ( a , int : 1 , T * : 2 , default : 3 ) ;",
        "f ( a , ( a , a ) , T ) ( ) ;",
        "( void ( * ) ( int x , T , ... ) ) p ; ( int ( * ( * ) [ 3 ] ) ( ) ) p ; ( T ( ) ) p ;",
    ] {
        check(body, Agreement::Same);
    }
}

#[test]
fn statements() {
    for body in [
        "; ; { } { ; }",
        "if ( a ) ; if ( a ) a ; else if ( p ) { } else ; while ( a ) do a ; while ( a ) ;",
        "for ( ; ; ) ; for ( a = 0 , p = 0 ; a ; a ++ , p ++ ) break ; for ( int i = 0 ; ; ) continue ;",
        "for ( T i = 0 ; i ; ) ; for ( T * i = 0 , * j ; i ; ) ; for ( T * const i = 0 ; ; ) ;",
        "for ( T = 0 ; T ; ) ; for ( struct s * x = p ; ; ) ; for ( const T * x = p ; ; ) ;",
        "switch ( a ) { case 1 : ; case 2 ... 3 : a ; break ; default : ; }",
        "l : ; goto l ; T : a ; return ; return a ; return ( T ) a ;",
    ] {
        check(body, Agreement::Same);
    }
}

#[test]
fn declarations_in_blocks() {
    for body in [
        "int x ; T y , * z = 0 , w [ 3 ] = { 1 , [ 2 ] = 3 , [ 0 ... 1 ] = 4 } ; T ; T ( x ) ;",
        "static const unsigned long long int x = 1 , y ; register T * const volatile * x ;",
        "int ( * f ) ( int , T x , U * ) = 0 , g ( ) , h ( void ) , ( * k [ 3 ] ) ( T ) ;",
        "struct s { int a : 3 , : 0 ; T * b ; union { int c ; } ; struct s * n ; ; } x , * y ;",
        "enum e { A , B = 3 , C , } x ; enum e y ; enum { D } z ; struct s ; union u * v ;",
        "typedef int V ; V v ; { int V ; V = 3 ; ( V ) -> x ; } V w ; ( V ) w ;",
        "{ int T ; T * a ; ( T ) + 1 ; sizeof ( T ) ; } ( T ) + 1 ; T * x ;",
        "int T = sizeof ( T ) , x = ( T ) + 1 ; { typedef int T ; T * y ; }",
        "__typeof__ ( a ) x ; __typeof__ ( T ) y ; typeof ( int * ) z ; __typeof__ ( * p ) w ;",
        "int x [ ] = { 1 } , y [ a ] [ 2 ] ; int g ( int [ static 3 ] , int [ const ] , int [ * ] ) ;",
        "_Atomic int x ; _Atomic ( T ) y ; int * _Atomic z ; const _Atomic T w ; _Thread_local int v ;",
        "int x __attribute__ (( cleanup ( g ) )) = 1 ; __attribute__ (( noreturn )) int g ( void ) ;",
        "_Decimal128x i ; _Float64x g ; unsigned T ; long double _Complex c ; __builtin_va_list v ;",
        "void h ( T T , int x ) ; T y ;",
        "struct { int T ; } x = { } ; x . T = 1 ; T T ;",
    ] {
        check(body, Agreement::Same);
    }
}

#[test]
fn items() {
    for text in [
        "typedef struct s { int a ; } V , * W ;",
        "typedef T ( * V ) ( T , U * x ) __attribute__ (( mode ( DI ) )) ;",
        "int a , * b = & a , c [ ] = { 1 , 2 } ; ; ;",
        "static inline T * f ( U u , ... ) { return u ; } ;",
        "int main ( argc , argv ) int argc ; char * * argv ; { T x ; return argc ; }",
        "int f ( ) { }",
        "T ( * f ( int a ) ) ( U ) { return a ; }",
        "struct s ;",
        "enum { A , B } ;",
        "extern int f ( const char * , int [ ] , void ( * ) ( int ) , int ( * ) [ 3 ] ) ;",
        "int f ( register int a , T , T b , const T * c , T ( * d ) ( T ) ) ;",
        "void f ( int T , T ) ;",
        "struct s { T T ; int U : 2 __attribute__ (( packed )) ; __attribute__ (( aligned ( 8 ) )) int x ; } ;",
    ] {
        let expected = match text {
            // The second parameter is no type any more, which makes it a list of names for lang-c.
            "void f ( int T , T ) ;" => Agreement::LeftToLangC,
            _ => Agreement::Same,
        };
        check_item(text, expected);
    }
}

/// What is ambiguous, rare or wrong is lang-c's business.
#[test]
fn what_is_left_to_lang_c() {
    for body in [
        "( T ) ( a ) = 1 ;",
        "++ ( T ) a ;",
        "++ ( int ) a ;",
        "for ( T * x ; ; ) ;",
        "for ( T ( x ) ; ; ) ;",
        "enum { T } x ;",
        "( void ( * ) ( int T ) ) p ;",
        "asm ( \"nop\" ) ;",
        "a + ;",
        "a b ;",
        "a = b c ;",
        "1.5q ; ",
        "08 ;",
        "\"\\q\" ;",
        "T U x ;",
        "} {",
        "else a ;",
        "( T ) a = 1 ;",
        "a ? a : a = 1 ;",
        "__typeof__ ( T * ) x ;",
        "__typeof__ ( __typeof__ ( a ) ) x ;",
    ] {
        check(body, Agreement::LeftToLangC);
    }
    for text in [
        "",
        ";",
        "int f ( ) { } int g ( ) { }",
        "int x",
        "f ( ) { }",
        "T T ( T x ) { }",
    ] {
        check_item(text, Agreement::LeftToLangC);
    }
}

/// Text that is not spaced as the normaliser does it.
#[test]
fn other_spacing_is_left_to_lang_c() {
    for text in [
        " int x ;",
        "int x ; ",
        "int  x ;",
        "int x;",
        "int\nx ;",
        "int /**/ x ;",
    ] {
        check_item(text, Agreement::LeftToLangC);
    }
}
