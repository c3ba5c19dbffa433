"""What scripts use beside the graph."""
