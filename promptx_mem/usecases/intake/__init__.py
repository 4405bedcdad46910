"""What import does with files: read them, judge what they hold, merge what is our own, store the rest in batches."""
