# The test servers, one line each: the only place that says where they listen and who may enter. The scripts beside this
# file start them there, compose.yaml too, and the contract tests look for them there. A variable of your own wins.
: "${TEARSHEET_TEST_POSTGRESQL:=postgresql://tearsheet:tearsheet@127.0.0.1:25432/tearsheet}"
: "${TEARSHEET_TEST_RABBITMQ:=amqp://tearsheet:tearsheet@127.0.0.1:25672/tearsheet?management=25673}"
: "${TEARSHEET_TEST_KAFKA:=kafka://127.0.0.1:25092}"
: "${TEARSHEET_TEST_S3:=s3://tearsheet:tearsheet-secret@127.0.0.1:25900/tearsheet}"
: "${TEARSHEET_TEST_OPENSEARCH:=opensearch://127.0.0.1:25200/tearsheet}"
: "${TEARSHEET_TEST_ELASTICSEARCH:=elasticsearch://127.0.0.1:25210/tearsheet}"
