"""The data sets: what each is, where it lies, and one loader for each."""
