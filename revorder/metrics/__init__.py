"""The cost of writing a text: CSID and tokens."""
