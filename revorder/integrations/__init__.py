"""Adapters: one file for each outside tool, thin over the core; the package imports none of them."""
