use contextfit_core::chat::ChatMessage;
use serde_json::json;

use super::{called, code, one};
use crate::random::Random;

const GOODS: &[&str] = &[
    "蓝牙耳机",
    "电热水壶",
    "办公椅",
    "显示器",
    "机械键盘",
    "空气净化器",
];
const CITIES: &[&str] = &["杭州", "成都", "武汉", "西安", "广州"];
const WISHES: &[&str] = &[
    "请帮我查一下物流。",
    "我想退货，但是包装已经扔了。",
    "必须在周五之前送到，否则就取消。",
    "发票抬头写错了，请重新开一张。",
    "预算不能超过原来的价格。",
];
const THANKS: &[&str] = &[
    "好的，谢谢。",
    "明白了，那就这样办吧。",
    "行，麻烦您了。",
    "我再想想。",
];

/// 一个网店的客服助手。
pub(super) fn conversation() -> Vec<ChatMessage> {
    let random = &mut Random::new(17);
    let mut messages = vec![ChatMessage::user(
        "你好，我是门店的店长，今天请你帮我处理所有的客户问题。退款必须先经过我同意，单笔不能超过800元。",
    )];
    let mut orders: Vec<(String, &str)> = Vec::new();
    for round in 0..36 {
        let back = (round % 3 == 2).then(|| random.below(orders.len()));
        let (order, goods) = match back {
            Some(order) => orders[order].clone(),
            None => {
                orders.push((format!("DD{}", code(random, 8)), one(random, GOODS)));
                orders[orders.len() - 1].clone()
            }
        };
        let wish = one(random, WISHES);
        messages.push(ChatMessage::user(match back {
            Some(_) => format!("订单{order}的客户又来了，还是{goods}的问题。{wish}"),
            None => format!(
                "有位{}的客户买了一台{goods}，订单号是{order}，电话1{}。{wish}",
                one(random, CITIES),
                3_000_000_000_u64 + random.below(900_000_000) as u64
            ),
        }));
        let price = 60 + random.below(2_000);
        let parcel = format!("SF{}", 100_000_000 + random.below(800_000_000));
        called(&mut messages, "我来查询这个订单。", "query_order", json!({"order_no": order}).to_string(),
            json!({"订单号": order, "商品": goods, "价格": price, "数量": 1 + random.below(3), "运单号": parcel, "仓库": format!("WH{:03}", random.below(400)), "下单时间": format!("2031-0{}-{:02} {:02}:{:02}", 1 + random.below(9), 1 + random.below(28), random.below(24), random.below(60))}).to_string());
        messages.push(ChatMessage::assistant(format!("订单{order}的{goods}价格是{price}元，运单号{parcel}，预计{}天后送到。需要我办理退款吗？", 1 + random.below(9))));
        messages.push(ChatMessage::user(one(
            random,
            &[
                "同意退款，因为客户已经等了很久。",
                "先不要退款，联系仓库再说。",
                "决定换货，不退款。",
            ],
        )));
        let fails = random.below(4) == 0;
        called(&mut messages, "", "create_ticket", json!({"order_no": order, "amount": price}).to_string(), match fails {
            true => format!("错误：订单{order}的金额{price}元超过了上限，请联系主管"),
            false => json!({"工单号": format!("GD{}", code(random, 6)), "状态": "已创建", "金额": price}).to_string(),
        });
        messages.push(ChatMessage::assistant(match fails {
            true => format!("抱歉，订单{order}的工单创建失败，金额{price}元超过了上限。"),
            false => format!(
                "订单{order}的工单已创建成功，金额{price}元，客户会在{}小时内收到短信。",
                2 + random.below(40)
            ),
        }));
        messages.push(ChatMessage::user(one(random, THANKS)));
    }
    messages.push(ChatMessage::user("今天还有哪些订单没有处理完？"));
    messages
}
