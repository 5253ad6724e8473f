"""Adapters: one outside tool a file, each thin over the core; none is imported by the package."""
