"""Layers made of several operators."""
