"""Skills: folders of instructions for kinds of tasks, in the form that agents share (SKILL.md)."""
