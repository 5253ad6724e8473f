"""Mixtures: which problems are drawn, in what shares, how they are written, and the shards, streams and rows made of
them."""
