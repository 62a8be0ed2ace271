"""The spider's statements, by table. Each function is one transaction, and the same twice does no harm: jobs may come twice."""
