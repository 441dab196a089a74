//! The harness of the annotated C corpus.
