"""What a text says in numbers: questions, answers, annotations."""
