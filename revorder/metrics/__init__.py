"""What a text costs to write: CSID and tokens."""
