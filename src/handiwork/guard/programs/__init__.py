"""What programs do: a table with one entry a program, and the readers of those that have a language of their own."""
