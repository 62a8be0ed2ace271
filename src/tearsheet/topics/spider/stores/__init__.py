"""The spider's statements, by table. Running a function twice does no harm, because jobs may be delivered twice."""
