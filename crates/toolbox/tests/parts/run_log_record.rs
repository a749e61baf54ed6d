use crate::tool;
use serde_json::{Map, json};
use std::time::Duration;
use toolbox::run_log::{Level, duration_text, failed, finished, size_text, started};

#[test]
fn the_hosts_own_records_are_worded_exactly() {
    let parameters =
        json!({"pdfPath": "/path/to/doc.pdf", "token": "t", "deep": [{"api_key": "k", "key": "shown"}]});
    let record = started(
        &tool("pdf-reader"),
        parameters.as_object().unwrap(),
        str::to_owned,
    );
    assert_eq!(
        record.message,
        "执行开始 - 工具: pdf-reader, 参数: {\"pdfPath\":\"/path/to/doc.pdf\",\"token\":\"******\",\"deep\":[{\"api_key\":\"******\",\"key\":\"shown\"}]}"
    );
    let record = finished(128_000, Duration::from_millis(1234));
    assert_eq!(
        (record.level, record.message.as_str()),
        (Level::Info, "执行完成 - 结果大小: 125KB, 用时: 1.2s")
    );
    let record = failed("无法解析加密的PDF", Some("Error: x\n    at y"));
    assert_eq!(
        (record.level, record.message.as_str()),
        (
            Level::Error,
            "执行失败 - 错误: 无法解析加密的PDF\nError: x\n    at y"
        )
    );
    let long = Map::from_iter([("a".to_owned(), json!("长".repeat(10_000)))]);
    assert!(started(&tool("x"), &long, str::to_owned).message.len() < 5000);

    // A secret across the place where the text is cut is masked whole, not shown by half.
    for before in 4070..4100 {
        let across = Map::from_iter([("a".to_owned(), json!("x".repeat(before) + "s3cr3t-value"))]);
        let record = started(&tool("x"), &across, |text| text.replace("s3cr3t-value", "******"));
        assert!(!record.message.contains("s3c"), "{before}");
    }
}

#[test]
fn sizes_and_durations() {
    for (bytes, text) in [
        (0, "0B"),
        (1023, "1023B"),
        (1024, "1KB"),
        (1536, "1.5KB"),
        (10_200, "10KB"),
        (128_000, "125KB"),
        (1_048_570, "1MB"),
        (3_355_443, "3.2MB"),
        (usize::MAX, "17179869184GB"),
    ] {
        assert_eq!(size_text(bytes), text);
    }
    for (ms, text) in [
        (0, "0ms"),
        (999, "999ms"),
        (1000, "1s"),
        (1234, "1.2s"),
        (59_949, "59.9s"),
        (59_960, "1m0s"),
        (125_000, "2m5s"),
    ] {
        assert_eq!(duration_text(Duration::from_millis(ms)), text);
    }
}
