"""Problems, expressions, reversed numbers and traces; the standard library alone."""
