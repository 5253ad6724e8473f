"""Problems, expressions, reversed numbers and traces, built on the standard library alone."""
