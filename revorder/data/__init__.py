"""What is drawn and written: mixtures, sampling, hard cases, the split, shards, and others' data in sources/."""
