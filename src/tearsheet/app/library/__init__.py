"""What `import tearsheet` offers to programs and notebooks: `tearsheet/__init__.pyi` lists it."""
